import { useEffect, useState } from "react";
import type { PlanVersion } from "../wire/frames";
import { planDiff, planVersions } from "../state/http";
import { Diff } from "../transcript/Diff";

/** What a version of a plan changed, since the one before it or since any other. */
export function PlanChanges({ session, sha256 }: { session: string; sha256: string }) {
  const [others, setOthers] = useState<PlanVersion[] | null>(null);
  const [from, setFrom] = useState<string | null>(null);
  const [diff, setDiff] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);

  useEffect(() => {
    let isCurrent = true;
    planVersions(session).then(
      ({ versions }) => {
        if (!isCurrent) return;
        const older = earlier(versions, sha256);
        setOthers(older);
        setFrom(older[0]?.sha256 ?? null);
      },
      (error: unknown) => { if (isCurrent) setFailure(`The versions could not be loaded: ${String(error)}`); },
    );
    return () => { isCurrent = false; };
  }, [session, sha256]);

  useEffect(() => {
    if (from === null) return undefined;
    let isCurrent = true;
    setDiff(null);
    planDiff(session, sha256, from).then(
      (answer) => { if (isCurrent) setDiff(answer.diff); },
      (error: unknown) => { if (isCurrent) setFailure(`The changes could not be loaded: ${String(error)}`); },
    );
    return () => { isCurrent = false; };
  }, [session, sha256, from]);

  if (failure) return <p role="status">{failure}</p>;
  if (others?.length === 0) return <p role="status">There is no earlier version.</p>;
  return (
    <div className="plan-changes">
      <label>
        Changes since{" "}
        <select value={from ?? ""} onChange={(event) => setFrom(event.target.value)}>
          {(others ?? []).map((version) => <option key={version.sha256} value={version.sha256}>{named(version)}</option>)}
        </select>
      </label>
      {diff === null ? <p role="status">Loading the changes…</p> : diff === "" ? <p role="status">The texts are the same.</p> : <Diff text={diff} />}
    </div>
  );
}

/** The versions behind the one with this hash; each text once. */
export function earlier(versions: readonly PlanVersion[], sha256: string): PlanVersion[] {
  const behind = versions.slice(versions.findIndex((version) => version.sha256 === sha256) + 1);
  return behind.filter((version, at) => version.sha256 !== sha256 && behind.findIndex((other) => other.sha256 === version.sha256) === at);
}

function named(version: PlanVersion): string {
  const approved = version.state === "approved" ? ", approved" : "";
  return `revision ${version.revision}: ${version.title}${approved}`;
}
