import type { Assignment, BrowserOptions } from '@pilothouse/contract';
import {
  Masker,
  notesRobots,
  profileOfRun,
  renderBrowser,
  type Clock,
  type Egress,
  type HostRule,
  type Log,
  type SurfaceHost,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { Folders } from '../files/folders.ts';
import { Uploads } from '../files/uploads.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { Course } from './course.ts';
import { RunEgress } from './egress.ts';
import { maskedLog } from './masked-log.ts';
import { Notes } from './notes.ts';
import { Politeness } from './politeness.ts';
import { Profiles } from './profiles.ts';
import { Recorder } from './recorder.ts';
import { Reporter } from './reporter.ts';
import { RobotsNotes, type KnownRobots } from './robots.ts';
import { readState, SafePoints, type SavedState } from './safe-points.ts';
import { Secrets } from './secrets.ts';
import { Traces } from './traces.ts';
import type { Encoder } from './video.ts';
import { WorkTime } from './work-time.ts';

/** What a worker gives every attempt. */
export interface RunParts {
  /** The way out of the worker, for what is not a page. */
  readonly egress?: Pick<Egress, 'open'> | undefined;
  /** What it may reach although its address is not public. */
  readonly reach: readonly HostRule[];
  /** Certificates, PEM, of authorities that its requests trust besides the public ones. */
  readonly authorities: readonly string[];
  /** What sites say in their robots.txt. */
  readonly robots: KnownRobots;
  readonly host: Pick<SurfaceHost, 'open'>;
  readonly folders: Pick<Folders, 'make' | 'remove'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The gateway over HTTP: where transfers without a host lead. */
  readonly base: URL;
  readonly random: () => number;
  /** Whether it is the first run of the worker. */
  readonly isFirst: boolean;
  readonly telemetry: Pick<Telemetry, 'count' | 'observe' | 'add'>;
  /** What makes videos; undefined: nothing does. */
  readonly encoder?: Encoder | undefined;
  /** Version of the worker. */
  readonly version: string;
}

/** What the tools ask of their attempt. */
export interface RunNow {
  /** Aborts when no step may go on. */
  readonly halt: AbortSignal;
  /** Number of the step at work, or next. */
  step(): number | null;
  stop(reason: unknown): void;
}

/** What one attempt works with: each of them knows its own subject, and the run loop what comes after what. */
export interface RunTools {
  readonly log: Log;
  readonly masker: Masker;
  readonly reporter: Reporter;
  readonly notes: Notes;
  readonly uploads: Uploads;
  readonly recorder: Recorder;
  readonly traces: Traces;
  readonly course: Course;
  readonly secrets: Secrets;
  readonly egress: RunEgress;
  readonly politeness: Politeness;
  readonly profiles: Profiles;
  /** Null where robots.txt is not looked at. */
  readonly robots: RobotsNotes | null;
  readonly safePoints: SafePoints;
  /** What the attempt before left; null: nothing. */
  readonly saved: SavedState | null;
  readonly time: WorkTime;
  /** What the workflow says of the browser, with its templates and secrets replaced. */
  browserOptions(): Promise<BrowserOptions | undefined>;
  /** How the workflow calls its browser; undefined: as Chromium does. */
  userAgent(): string | undefined;
}

/** Makes the tools of an attempt. Nothing begins here. */
export function toolsFor(assignment: Assignment, link: AttemptLink, parts: RunParts, now: RunNow): RunTools {
  const { run, epoch, record, definition } = assignment;
  const { clock, base, random, egress: way, reach, telemetry, encoder, version } = parts;
  const { halt, step } = now;
  const masker = new Masker();
  const log = maskedLog(parts.log, masker, { run, epoch });
  const reporter = new Reporter(link, masker, clock);
  const uploads = new Uploads({
    link,
    clock,
    base,
    random,
    onFailed: ({ name }, { code, message }) =>
      reporter.add('log', `${name} was not kept: ${message}`, { facts: { file: name, code } }, 'warn'),
  });
  const saved = assignment.saved && readState(assignment.saved.state, definition.steps);
  const course = new Course(assignment, saved?.values ?? new Map());
  const secrets = new Secrets({ assignment, link, masker, clock, signal: halt });
  const egress = new RunEgress({ assignment, link, masker, reporter, clock, telemetry, step, reach, egress: way });
  const userAgent = () => {
    const { userAgent } = definition.browser ?? {};
    return userAgent === undefined ? undefined : renderBrowser({ userAgent }, course.scope()).userAgent;
  };
  const robots = () =>
    new RobotsNotes({
      known: parts.robots,
      reporter,
      proxy: () => egress.proxy(),
      authorities: parts.authorities,
      upstream: assignment.egress.run?.proxy?.server ?? '',
      userAgent,
      halt,
      step,
    });
  const { hidden } = course;
  const sendAhead = link.save.bind(link);
  return {
    log,
    masker,
    reporter,
    notes: new Notes({ course, masker, reporter, telemetry, clock }),
    uploads,
    recorder: new Recorder({ record, uploads, masker, clock, log, signal: link.lost }),
    traces: new Traces({ record, epoch, uploads, reporter, masker, log, encoder, version }),
    course,
    secrets,
    egress,
    politeness: new Politeness({ assignment, link, reporter, clock, telemetry, step, halt }),
    profiles: new Profiles({
      assignment,
      link,
      reporter,
      clock,
      signal: halt,
      own: () => profileOfRun(definition, course.scope())?.name ?? null,
    }),
    robots: notesRobots({ project: assignment.politeness.project, workflow: definition.politeness }) ? robots() : null,
    safePoints: new SafePoints({ hidden, clock, log, signal: link.lost, sendAhead }, assignment.saved),
    saved,
    time: new WorkTime(assignment, clock, now.stop),
    browserOptions: async () => {
      if (!definition.browser) return undefined;
      const options = renderBrowser(definition.browser, course.scope());
      const { auth } = options;
      if (!auth) return options;
      const reveal = (text: string) => secrets.reveal(text, auth.origin);
      const [username, password] = [await reveal(auth.username), await reveal(auth.password)];
      return { ...options, auth: { origin: auth.origin, username, password } };
    },
    userAgent,
  };
}
