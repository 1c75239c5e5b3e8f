import type { ReactNode } from "react";
import { Icon } from "../shell/Icon";
import { useFolded } from "./folded";

interface FoldProps {
  /** Unique in the page; what is open stays open while the row is out of sight. */
  id: string;
  className: string;
  label: ReactNode;
  hint?: ReactNode;
  side?: ReactNode;
  isOpenAtFirst?: boolean;
  children: ReactNode;
}

/** A line that opens. */
export function Fold({ id, className, label, hint, side, isOpenAtFirst, children }: FoldProps) {
  const [isOpen, toggle] = useFolded(id, isOpenAtFirst);
  return (
    <div className={`fold ${className}`} data-open={isOpen}>
      <button className="fold-head" aria-expanded={isOpen} onClick={toggle}>
        <span className="fold-label">{label}</span>
        {hint && <span className="fold-hint">{hint}</span>}
        {side}
        <Icon name="chevron" />
      </button>
      {isOpen && <div className="fold-body">{children}</div>}
    </div>
  );
}
