import { useEffect, useRef } from 'react';
import { videoSecondsOf } from '../run-state-selectors.ts';
import type { RunState, RunArtifact } from '../run-state.ts';

export interface VideoTabProps {
  state: RunState;
  video: RunArtifact;
  /** Step to seek to. */
  selected: number | undefined;
  /** Receives the step at the playback position. */
  onStep: (step: number) => void;
}

/** Video of a run that is synchronized with the timeline in both directions. */
export default function VideoTab({ state, video, selected, onStep }: VideoTabProps) {
  const ref = useRef<HTMLVideoElement>(null);
  // A step that playback selected does not seek.
  const playedStep = useRef<number>(undefined);
  const steps = state.steps.filter(({ startedAt }) => startedAt !== null);
  const seek = () => {
    const element = ref.current;
    const step = steps.find(({ index }) => index === selected);
    if (!element || !step?.startedAt || playedStep.current === selected || !Number.isFinite(element.duration)) return;
    element.currentTime = videoSecondsOf(video, element.duration, step.startedAt);
  };
  useEffect(seek, [selected]);
  return (
    <video
      ref={ref}
      src={`/runs/${state.run}/files/${video.id}`}
      controls
      muted
      playsInline
      preload="metadata"
      aria-label={`Video ${video.name}`}
      className="max-h-[60vh] w-full rounded border border-line bg-black"
      onLoadedMetadata={seek}
      onTimeUpdate={({ currentTarget: { currentTime, duration, paused } }) => {
        if (paused) return;
        const step = steps.findLast(
          ({ startedAt }) => startedAt && videoSecondsOf(video, duration, startedAt) <= currentTime + 0.05,
        );
        if (!step || step.index === playedStep.current) return;
        playedStep.current = step.index;
        onStep(step.index);
      }}
      onPause={() => (playedStep.current = undefined)}
    />
  );
}
