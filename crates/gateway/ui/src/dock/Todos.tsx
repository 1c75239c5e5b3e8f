import { useState } from "react";
import type { Todo } from "../wire/events";
import { Icon } from "../shell/Icon";

const ORDER = ["completed", "in_progress", "pending"] as const;

interface TodosProps {
  todos: Todo[] | null;
  /** Whether no turn is open that could work on them. */
  isIdle: boolean;
}

export function Todos({ todos, isIdle }: TodosProps) {
  const [isOpen, setOpen] = useState(false);
  if (!todos || todos.length === 0) return null;
  return (
    <section className="strip todos" data-idle={isIdle || undefined} aria-label="To-dos">
      <button className="strip-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="strip-label">To-dos</span>
        <span className="strip-text">{summary(todos, isIdle)}</span>
        <Icon name="chevron" />
      </button>
      {isOpen && (
        <ul className="todo-list">
          {todos.map((todo) => (
            <li key={todo.content} data-status={todo.status}>
              <span className="glyph" role="img" aria-label={words(todo.status, isIdle)} />
              {todo.content}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Counts by status; a status that no item has is left out. */
export function summary(todos: readonly Todo[], isIdle: boolean): string {
  return ORDER.map((status) => [todos.filter((todo) => todo.status === status).length, words(status, isIdle)] as const)
    .filter(([amount]) => amount > 0)
    .map(([amount, status]) => `${amount} ${status}`)
    .join("\u2002·\u2002");
}

/** What was in progress when the turn ended is nobody's work any more. */
function words(status: Todo["status"], isIdle: boolean): string {
  if (status === "in_progress" && isIdle) return "not finished";
  return status.replace("_", " ");
}
