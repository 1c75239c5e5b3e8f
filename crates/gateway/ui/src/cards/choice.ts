// What a person has chosen for one item so far. Single choice and own words exclude each other.

import type { Answer, QuestionItem } from "../wire/events";

export interface Choice {
  selected: string[];
  custom: string;
}

export function chosen(item: QuestionItem, choice: Choice | undefined, label: string): Choice {
  if (!item.multi_select) return { selected: [label], custom: "" };
  const held = choice?.selected ?? [];
  const selected = held.includes(label) ? held.filter((other) => other !== label) : [...held, label];
  return { selected, custom: choice?.custom ?? "" };
}

export function typed(item: QuestionItem, choice: Choice | undefined, custom: string): Choice {
  const clears = !item.multi_select && custom.trim() !== "";
  return { selected: clears ? [] : (choice?.selected ?? []), custom };
}

export function isAnswered(choice: Choice | undefined): boolean {
  return choice !== undefined && (choice.selected.length > 0 || choice.custom.trim() !== "");
}

/** Labels go in the order in which they were offered. */
export function toAnswer(item: QuestionItem, choice: Choice | undefined): Answer {
  const selected = item.options.map((option) => option.label).filter((label) => choice?.selected.includes(label));
  const custom = choice?.custom.trim();
  return { id: item.id, selected, ...(custom ? { custom } : {}) };
}
