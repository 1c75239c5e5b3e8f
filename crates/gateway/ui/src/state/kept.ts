// What a tab keeps over a reload: drafts and commands without a receipt (this tab's), the theme (all tabs').
// Storage may be full or forbidden; the page then works without it.

import type { CommandFrame } from "../wire/frames";

const OUTBOX = "waymark.outbox";
const THEME = "waymark.theme";

function read(storage: () => Storage, key: string): string | null {
  try {
    return storage().getItem(key);
  } catch {
    return null;
  }
}

function write(storage: () => Storage, key: string, value: string | null): void {
  try {
    if (value === null) storage().removeItem(key);
    else storage().setItem(key, value);
  } catch {
    // Nothing to do: the value lives on in memory.
  }
}

const tab = () => sessionStorage;
const browser = () => localStorage;

export function keptDraft(session: string): string {
  return read(tab, `waymark.draft.${session}`) ?? "";
}

export function keepDraft(session: string, text: string): void {
  write(tab, `waymark.draft.${session}`, text || null);
}

export function keptOutbox(): CommandFrame[] {
  try {
    const frames: unknown = JSON.parse(read(tab, OUTBOX) ?? "[]");
    return Array.isArray(frames) ? (frames as CommandFrame[]) : [];
  } catch {
    return [];
  }
}

export function keepOutbox(frames: CommandFrame[]): void {
  write(tab, OUTBOX, frames.length > 0 ? JSON.stringify(frames) : null);
}

export type Theme = "light" | "dark" | "system";

export function keptTheme(): Theme {
  const theme = read(browser, THEME);
  return theme === "light" || theme === "dark" ? theme : "system";
}

export function keepTheme(theme: Theme): void {
  write(browser, THEME, theme === "system" ? null : theme);
}
