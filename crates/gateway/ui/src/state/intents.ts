// What a person can set off that is no command: choosing, making and forking sessions, older history, the theme.

import { uuid } from "../wire/ids";
import { createSession, deleteSession, forkSession, HttpRefusal, olderEvents } from "./http";
import { keepTheme, keptTheme, type Theme } from "./kept";
import { openSelected } from "./live";
import { alert, changeView, usePage, viewOf } from "./store";
import { withOlder } from "./view";

const ROUTE = /^#\/s\/([0-9a-zA-Z-]+)$/;

function fromHash(): string | null {
  return ROUTE.exec(location.hash)?.[1] ?? null;
}

/** Shows a session in this tab; the address remembers it. */
export function select(session: string): void {
  if (fromHash() === session) follow();
  else location.hash = `#/s/${session}`;
}

function follow(): void {
  usePage.setState({ selected: fromHash(), alerts: [] });
  openSelected();
}

/** Follows the address; with none, shows the newest session, or makes the first one. */
export function startRouting(): void {
  window.addEventListener("hashchange", follow);
  follow();
  const stop = usePage.subscribe(() => {
    const { sessions, selected, hello } = usePage.getState();
    if (selected) return stop();
    if (!sessions) return;
    const target = newestBut(null);
    // A viewer waits until somebody makes one.
    if (!target && hello?.role === "viewer") return;
    stop();
    if (target) history.replaceState(null, "", `#/s/${target}`);
    if (target) follow();
    else void newSession();
  });
}

/** Returns the newest session in the list that is not put away, `but` one. */
function newestBut(but: string | null): string | undefined {
  const rows = usePage.getState().sessions?.rows ?? [];
  const shown = rows.filter((row) => !row.archived && row.session !== but);
  return shown.sort((a, b) => b.updated_at_ms - a.updated_at_ms)[0]?.session;
}

function failed(error: unknown): void {
  if (error instanceof HttpRefusal) alert(error.message, error.code);
  else alert(String(error));
}

let isMaking = false;

export async function newSession(): Promise<void> {
  if (isMaking) return;
  isMaking = true;
  const session = uuid();
  try {
    await createSession(session);
    select(session);
  } catch (error) {
    failed(error);
  } finally {
    isMaking = false;
  }
}

export async function fork(parent: string, cut: number): Promise<void> {
  try {
    const child = await forkSession(parent, uuid(), cut);
    select(child.session);
  } catch (error) {
    failed(error);
  }
}

/** Deletes a session for good; a tab that showed it shows the newest one then. */
export async function remove(session: string): Promise<void> {
  try {
    await deleteSession(session);
  } catch (error) {
    return failed(error);
  }
  if (usePage.getState().selected !== session) return;
  const next = newestBut(session);
  if (next) select(next);
  else await newSession();
}

export async function loadOlder(session: string): Promise<void> {
  const view = viewOf(usePage.getState(), session);
  if (!view.more || view.loadingOlder || view.transcript.firstSeq <= 1) return;
  changeView(session, (held) => ({ ...held, loadingOlder: true }));
  try {
    const page = await olderEvents(session, view.transcript.firstSeq);
    changeView(session, (held) => withOlder(held, page));
  } catch (error) {
    changeView(session, (held) => ({ ...held, loadingOlder: false, more: false }));
    failed(error);
  }
}

export function applyTheme(theme: Theme = keptTheme()): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Turns to the other of dark and light, from what is shown now. */
export function toggleTheme(): void {
  const shown = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const theme = shown === "dark" ? "light" : "dark";
  keepTheme(theme);
  applyTheme(theme);
}
