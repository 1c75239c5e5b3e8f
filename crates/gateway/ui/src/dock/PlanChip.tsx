import { useFlight } from "../state/flight";
import { submit } from "../state/live";
import { Icon } from "../shell/Icon";

interface PlanChipProps {
  session: string;
  isPlanning: boolean;
  isPending: boolean;
}

/** Shows that plan mode is on, or will be from the next step; a click leaves it. */
export function PlanChip({ session, isPlanning, isPending }: PlanChipProps) {
  const flight = useFlight(String(isPlanning));
  if (!isPlanning) return null;
  const leave = () => void flight.run(() => submit(session, { type: "slash", line: "/plan off" }));
  return (
    <>
      <button
        type="button" className="chip plan-chip" aria-label="Plan mode on, press to turn off" disabled={flight.isBusy} onClick={leave}
        title={isPending ? "From the next step on nothing is changed. Press to leave plan mode." : "Nothing is changed until you approve a plan. Press to leave plan mode."}
      >
        Plan<Icon name="close" />
      </button>
      {flight.refusal && <span role="status" className="code" title={`${flight.refusal.message} (${flight.refusal.code})`}>failed to exit</span>}
    </>
  );
}
