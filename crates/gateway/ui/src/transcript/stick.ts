import { useCallback, useLayoutEffect, useRef, useState, type RefObject } from "react";

const END_WITHIN_PX = 48;

/** Keeps a scroller at its end while its content grows, until a person scrolls up. */
export function useStickToEnd(scroller: RefObject<HTMLElement | null>): { isAtEnd: boolean; jump: () => void } {
  const sticks = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);

  useLayoutEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return undefined;
    let last = { top: 0, height: 0 };
    const toEnd = () => { if (sticks.current) element.scrollTop = element.scrollHeight; };
    const onScroll = () => {
      const { scrollTop: top, scrollHeight: height, clientHeight } = element;
      const isNear = height - top - clientHeight < END_WITHIN_PX;
      // Rows that turn out smaller than estimated also move the offset up; that is no wish to leave.
      if (isNear) sticks.current = true;
      else if (top < last.top && height >= last.height) sticks.current = false;
      last = { top, height };
      setAtEnd(isNear || sticks.current);
    };
    const sizes = new ResizeObserver(toEnd);
    sizes.observe(content);
    sizes.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    toEnd();
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", onScroll);
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
