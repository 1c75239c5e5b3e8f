//! Which tools there are, and the way from a model's call to something that can be carried out.

use events::ToolClass;
use serde_json::Value;
use sessions::ToolAction;

use crate::ToolError;
use crate::arguments::{self, Arguments};
use crate::ask_user_question::{self, AskUserQuestion};
use crate::body::{Body, BodyCall};
use crate::create_goal::{self, CreateGoal};
use crate::edit_file::{self, EditFile};
use crate::exit_plan_mode::{self, ExitPlanMode};
use crate::get_goal::{self, GetGoal};
use crate::list_files::{self, ListFiles};
use crate::read_file::{self, ReadFile};
use crate::run_command::{self, RunCommand};
use crate::search::{self, Search};
use crate::todo_write::{self, TodoWrite, UpdatePlan};
use crate::update_goal::{self, UpdateGoal};
use crate::write_file::{self, WriteFile};

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name that calls use.
    pub name: &'static str,
    /// What it does and within which limits.
    pub description: String,
    /// JSON schema of its arguments: an object.
    pub parameters: Value,
}

/// A call that can be carried out.
#[derive(Debug, Clone, PartialEq)]
pub enum Invocation {
    /// Work on the workspace.
    Body(BodyCall),
    /// A wish about the session, which is decided instead of run.
    Session(ToolAction),
}

/// All tools, by name.
#[derive(Debug, Clone)]
pub struct Registry {
    tools: Vec<Tool>,
}

#[derive(Debug, Clone, Copy)]
struct Tool {
    name: &'static str,
    description: &'static str,
    class: ToolClass,
    /// Whether a model is told of it; another name of a listed tool only works when it is called.
    listed: bool,
    parameters: fn() -> Value,
    parse: fn(&str) -> Result<Invocation, ToolError>,
}

impl Registry {
    /// Returns the tools that every session has.
    pub fn standard() -> Self {
        let mut tools = workspace_tools();
        tools.extend(session_tools());
        tools.sort_by_key(|tool| tool.name);
        Self { tools }
    }

    /// Returns the same tools for sessions whose todo lists have one item in progress at most.
    #[must_use]
    pub fn with_todos_in_sequence(mut self) -> Self {
        let todos = self.tools.iter_mut().filter(|tool| tool.description == todo_write::DESCRIPTION);
        todos.for_each(|tool| tool.description = todo_write::SEQUENTIAL);
        self
    }

    /// Returns what a model is told, sorted by name. The other names `update_plan` and
    /// `request_user_input` work too, for models that know only them, and are left out here.
    pub fn specs(&self) -> Vec<ToolSpec> {
        let spec = |tool: &Tool| ToolSpec {
            name: tool.name,
            description: tool.description.to_owned(),
            parameters: (tool.parameters)(),
        };
        self.listed().map(spec).collect()
    }

    /// Returns what a call touches. An unknown tool counts as [`ToolClass::Exec`], the strictest.
    pub fn class(&self, name: &str, _arguments: &str) -> ToolClass {
        self.tool(name).map_or(ToolClass::Exec, |tool| tool.class)
    }

    /// Says whether a call may overlap others: only if the tool only reads and the arguments are valid.
    pub fn concurrency_safe(&self, name: &str, arguments: &str) -> bool {
        self.class(name, arguments) == ToolClass::Read && self.parse(name, arguments).is_ok()
    }

    /// Reads the argument text of a call; empty text counts as `{}`.
    ///
    /// Errs with `UNKNOWN_TOOL`, or with `INVALID_ARGS` naming the place in the arguments.
    pub fn parse(&self, name: &str, arguments: &str) -> Result<Invocation, ToolError> {
        match self.tool(name) {
            Some(tool) => (tool.parse)(arguments),
            None => Err(ToolError::UnknownTool { name: name.to_owned(), known: self.names() }),
        }
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    fn listed(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().filter(|tool| tool.listed)
    }

    fn names(&self) -> String {
        self.listed().map(|tool| tool.name).collect::<Vec<_>>().join(", ")
    }
}

fn workspace_tools() -> Vec<Tool> {
    macro_rules! tool {
        ($module:ident, $arguments:ident, $class:ident) => {
            Tool {
                name: $module::NAME,
                description: $module::DESCRIPTION,
                class: ToolClass::$class,
                listed: true,
                parameters: arguments::schema::<$arguments>,
                parse: |text| body($module::NAME, text, Body::$arguments),
            }
        };
    }
    vec![
        tool!(read_file, ReadFile, Read),
        tool!(list_files, ListFiles, Read),
        tool!(search, Search, Read),
        tool!(write_file, WriteFile, Write),
        tool!(edit_file, EditFile, Write),
        tool!(run_command, RunCommand, Exec),
    ]
}

fn session_tools() -> Vec<Tool> {
    macro_rules! tool {
        ($module:ident, $name:ident, $arguments:ident, $class:ident) => {
            Tool {
                name: $module::$name,
                description: $module::DESCRIPTION,
                class: ToolClass::$class,
                listed: $module::$name == $module::NAME,
                parameters: arguments::schema::<$arguments>,
                parse: |text| action::<$arguments>($module::$name, text),
            }
        };
    }
    vec![
        tool!(todo_write, NAME, TodoWrite, Session),
        tool!(todo_write, OTHER_NAME, UpdatePlan, Session),
        tool!(exit_plan_mode, NAME, ExitPlanMode, Session),
        tool!(get_goal, NAME, GetGoal, Session),
        tool!(create_goal, NAME, CreateGoal, Session),
        tool!(update_goal, NAME, UpdateGoal, Session),
        tool!(ask_user_question, NAME, AskUserQuestion, Ask),
        tool!(ask_user_question, OTHER_NAME, AskUserQuestion, Ask),
    ]
}

fn body<T: Arguments>(name: &str, text: &str, wrap: fn(T) -> Body) -> Result<Invocation, ToolError> {
    arguments::parse::<T>(name, text).map(|arguments| Invocation::Body(BodyCall::new(wrap(arguments))))
}

fn action<T: Arguments + Into<ToolAction>>(name: &str, text: &str) -> Result<Invocation, ToolError> {
    arguments::parse::<T>(name, text).map(|arguments| Invocation::Session(arguments.into()))
}
