// What a tool row says, from the call's arguments alone.

export interface ToolWords {
  verb: string;
  /** The argument that matters. */
  main: string;
  /** Whether `main` is code: a path, a pattern, a command line. */
  isCode: boolean;
  /** Stays visible where `main` is cut short. */
  extra: string;
}

const VERBS: Record<string, [verb: string, argument: string]> = {
  read_file: ["Read", "path"],
  list_files: ["List", "path"],
  search: ["Search", "pattern"],
  write_file: ["Write", "path"],
  edit_file: ["Edit", "path"],
  run_command: ["Run", "command"],
  get_goal: ["Read the goal", ""],
  create_goal: ["Set a goal", "objective"],
  update_goal: ["Update the goal", "action"],
  exit_plan_mode: ["Propose a plan", "title"],
  ask_user_question: ["Ask", "question"],
  request_user_input: ["Ask", "question"],
};

/** Arguments that are sentences. */
const PROSE = new Set(["objective", "question", "title"]);

export function toolWords(name: string | null, args: string, callId: string): ToolWords {
  if (name === null) return { verb: "Tool call", main: callId, isCode: true, extra: "" };
  const root = parse(args);
  if (name === "todo_write" || name === "update_plan") return todoWords(root) ?? { verb: name, main: args, isCode: true, extra: "" };
  const [verb, argument] = VERBS[name] ?? [name, ""];
  if (!root) return { verb, main: args, isCode: true, extra: "" };
  const value = root[argument] ?? (VERBS[name] ? "" : firstText(root));
  const main = oneLine(value) || (name === "list_files" ? "." : "");
  return { verb, main, isCode: !PROSE.has(argument), extra: "" };
}

function parse(args: string): Record<string, unknown> | null {
  try {
    const root: unknown = JSON.parse(args || "{}");
    return typeof root === "object" && root !== null && !Array.isArray(root) ? (root as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function firstText(root: Record<string, unknown>): unknown {
  return Object.values(root).find((value) => typeof value === "string") ?? "";
}

function oneLine(value: unknown): string {
  return typeof value === "string" ? value.trim().replace(/\s*\n\s*/g, " ⏎ ") : "";
}

function todoWords(root: Record<string, unknown> | null): ToolWords | null {
  const items = root?.todos ?? root?.plan;
  if (!Array.isArray(items) || items.some((item) => typeof item !== "object" || item === null)) return null;
  const todos = items as { status?: unknown; content?: unknown; step?: unknown }[];
  const done = todos.filter((todo) => todo.status === "completed").length;
  const active = todos.filter((todo) => todo.status === "in_progress");
  const first = active[0]?.content ?? active[0]?.step;
  const name = typeof first === "string" ? first.trim() : "";
  const counts = `${done}/${todos.length} completed`;
  return {
    verb: "Update to-do list",
    main: name ? `${counts} · ${name}` : counts,
    isCode: false,
    extra: name && active.length > 1 ? `+${active.length - 1}` : "",
  };
}
