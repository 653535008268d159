const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const;

/** Time since an instant: `5 min ago`. Future instants (clock skew) are `just now`. @param now milliseconds since 1970 */
export function formatAgo(time: string, now: number): string {
  const elapsed = now - Date.parse(time);
  return elapsed < 5_000 ? 'just now' : `${inUnits(elapsed)} ago`;
}

/** Time until or since an instant: `in 3 d`. @param now milliseconds since 1970 */
export function formatRemaining(time: string, now: number): string {
  const remainingMs = Date.parse(time) - now;
  return remainingMs > 1_000 ? `in ${inUnits(remainingMs)}` : formatAgo(time, now);
}

const inUnits = (ms: number) => {
  const unit = units.find((candidate) => ms >= candidate.ms) ?? units[3];
  return `${Math.floor(ms / unit.ms)} ${unit.name}`;
};

const inTwoUnits = (...parts: [number, string][]) =>
  parts.flatMap(([value, unit]) => (value === 0 ? [] : `${value} ${unit}`)).join(' ');

/** Duration: `820 ms`, `4.2 s`, `3 min 12 s`, `2 h 5 min`, `2 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)];
  return hours > 0
    ? inTwoUnits([hours, 'h'], [minutes % 60, 'min'])
    : inTwoUnits([minutes, 'min'], [seconds % 60, 's']);
}

/** Hour of an instant: `14:00` in the zone of the viewer, or `12:00 UTC`. */
export const formatHour = (time: string, isLocal: boolean): string =>
  isLocal
    ? new Date(time).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    : `${new Date(time).toISOString().slice(11, 16)} UTC`;

/** Instant in the zone of the viewer, with seconds. */
export const formatExact = (time: string): string =>
  new Date(time).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'long',
  });

/** Milliseconds between start and end, or until now; undefined: not started. */
export function elapsedMs(start: string | null, end: string | null, now: number): number | undefined {
  return start === null ? undefined : (end === null ? now : Date.parse(end)) - Date.parse(start);
}
