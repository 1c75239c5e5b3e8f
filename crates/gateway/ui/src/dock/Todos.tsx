import { useState } from "react";
import type { Todo } from "../wire/events";
import { Icon } from "../shell/Icon";

const ORDER = [["completed", "completed"], ["in_progress", "in progress"], ["pending", "pending"]] as const;

export function Todos({ todos }: { todos: Todo[] | null }) {
  const [isOpen, setOpen] = useState(false);
  if (!todos || todos.length === 0) return null;
  return (
    <section className="strip todos" aria-label="To-dos">
      <button className="strip-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="strip-label">To-dos</span>
        <span className="strip-text">{summary(todos)}</span>
        <Icon name="chevron" />
      </button>
      {isOpen && (
        <ul className="todo-list">
          {todos.map((todo) => (
            <li key={todo.content} data-status={todo.status}>
              <span className="glyph" role="img" aria-label={todo.status.replace("_", " ")} />
              {todo.content}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Counts by status; a status that no item has is left out. */
export function summary(todos: readonly Todo[]): string {
  return ORDER.map(([status, words]) => [todos.filter((todo) => todo.status === status).length, words] as const)
    .filter(([amount]) => amount > 0)
    .map(([amount, words]) => `${amount} ${words}`)
    .join("\u2002·\u2002");
}
