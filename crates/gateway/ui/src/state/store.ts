// Everything the page knows. Changed only by the functions in `live.ts` and `intents.ts`.

import { create } from "zustand";
import type { CommandFrame, Hello } from "../wire/frames";
import type { LinkState } from "./connection";
import type { SessionList } from "./list";
import { UNSEEN, type View } from "./view";

export interface Alert {
  id: number;
  text: string;
  code: string;
}

export interface Page {
  link: LinkState;
  hello: Hello | null;
  sessions: SessionList | null;
  /** What the list is asked for. */
  wantedList: { query: string; archived: boolean };
  selected: string | null;
  views: Record<string, View>;
  drafts: Record<string, string>;
  /** Commands without a receipt; sent again, under the same ids, after each reconnect. */
  outbox: CommandFrame[];
  alerts: Alert[];
}

export const usePage = create<Page>()(() => ({
  link: "connecting",
  hello: null,
  sessions: null,
  wantedList: { query: "", archived: false },
  selected: null,
  views: {},
  drafts: {},
  outbox: [],
  alerts: [],
}));

export function viewOf(page: Page, session: string | null): View {
  return (session && page.views[session]) || UNSEEN;
}

export function changeView(session: string, change: (view: View) => View): void {
  usePage.setState((page) => ({ views: { ...page.views, [session]: change(viewOf(page, session)) } }));
}

/** The session this tab shows. */
export function useView(): View {
  return usePage((page) => viewOf(page, page.selected));
}

let alerts = 0;

/** Shows a refusal or failure until it is dismissed. */
export function alert(text: string, code = ""): void {
  alerts += 1;
  const entry = { id: alerts, text, code };
  usePage.setState((page) => ({
    alerts: [...page.alerts.filter((other) => other.text !== text || other.code !== code), entry].slice(-4),
  }));
}

export function clearAlerts(): void {
  usePage.setState({ alerts: [] });
}

export function dismissAlert(id: number): void {
  usePage.setState((page) => ({ alerts: page.alerts.filter((entry) => entry.id !== id) }));
}
