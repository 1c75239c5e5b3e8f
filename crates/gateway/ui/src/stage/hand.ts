// What a person's hand does that a single event does not show.

import { act } from "@testing-library/react";

/** Clicks twice before the page can draw anything. */
export function doubleClick(element: HTMLElement): void {
  act(() => {
    element.click();
    element.click();
  });
}
