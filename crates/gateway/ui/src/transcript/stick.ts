import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from "react";

const END_WITHIN_PX = 48;
/** How long a wheel turn, a key or a touch explains the scrolling that follows it. */
const INTENT_MS = 600;
const INTENTS = ["wheel", "touchmove", "keydown", "pointerdown", "pointermove"] as const;

/**
 * Keeps a scroller at its end while its content grows, until a person scrolls up. The offset alone does not tell who
 * moved it: the list corrects it as rows are measured, the browser as the window shrinks.
 */
export function useStickToEnd(scroller: RefObject<HTMLElement | null>): { isAtEnd: boolean; jump: () => void } {
  const sticks = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);

  useLayoutEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return undefined;
    let lastTop = 0;
    let intentAt = -Infinity;
    const toEnd = () => { if (sticks.current) element.scrollTop = element.scrollHeight; };
    const onIntent = (event: Event) => {
      // A pointer that merely passes over scrolls nothing; one that is held down may drag the scroll bar.
      if (event.type === "pointermove" && (event as PointerEvent).buttons === 0) return;
      intentAt = event.timeStamp;
    };
    const onScroll = (event: Event) => {
      const top = element.scrollTop;
      const isNear = element.scrollHeight - top - element.clientHeight < END_WITHIN_PX;
      const isMeant = event.timeStamp - intentAt < INTENT_MS;
      if (isNear) sticks.current = true;
      else if (isMeant && top < lastTop) sticks.current = false;
      lastTop = top;
      setAtEnd(isNear || sticks.current);
    };
    const sizes = new ResizeObserver(toEnd);
    sizes.observe(content);
    sizes.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    for (const intent of INTENTS) element.addEventListener(intent, onIntent, { passive: true });
    toEnd();
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", onScroll);
      for (const intent of INTENTS) element.removeEventListener(intent, onIntent);
    };
  }, [scroller]);

  const jump = useCallback(() => {
    const element = scroller.current;
    sticks.current = true;
    setAtEnd(true);
    if (element) element.scrollTop = element.scrollHeight;
  }, [scroller]);
  return { isAtEnd, jump };
}
