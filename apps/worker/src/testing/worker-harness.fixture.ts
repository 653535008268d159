import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { RunAnswer, RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { modelAnswer, call, ParsedPrompt, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import type { Worker, WorkerOptions } from '../worker.ts';
import { startWorker } from './test-worker.fixture.ts';

/** Milliseconds in which a run of a spec ends, or asks a question. */
const RUN_TIMEOUT_MS = 55_000;

/** A worker with a scripted gateway: specs assign attempts to it, and inspect the messages that the gateway received. */
export class WorkerHarness {
  readonly gateway: ScriptedGateway;
  readonly log = memoryLog();
  /** Model requests of `follow`, as sent. */
  readonly requests: ModelRequest[] = [];
  private readonly root: string;
  private readonly worker: Worker;

  private constructor(gateway: ScriptedGateway, root: string, worker: Worker) {
    this.gateway = gateway;
    this.root = root;
    this.worker = worker;
  }

  static async start(host: WorkerOptions['surfaceHost'], surface: SurfaceKind = 'browser'): Promise<WorkerHarness> {
    const gateway = await ScriptedGateway.start();
    const root = await mkdtemp(join(tmpdir(), 'pilothouse-attempts-spec-'));
    const worker = await startWorker(root, { url: gateway.url, surfaceHost: host, surface });
    await gateway.until(() => gateway.all('ready').length > 0);
    return new WorkerHarness(gateway, root, worker);
  }

  async stop(): Promise<void> {
    this.worker.abort('the spec is over');
    await this.worker.completion.catch(() => undefined);
    await this.gateway.close();
    await rm(this.root, { recursive: true });
  }

  /** Starts a drain of the worker, at once. */
  drain(): void {
    this.worker.drain({ reason: 'SIGTERM', graceMs: 0 });
  }

  /**
   * Answers model requests by a policy. An error of the policy becomes the action `fail`.
   * @param verdict answer of the verifying model; undefined: the policy answers it too
   */
  follow(policy: ScriptedPolicy, verdict?: 'success' | 'failed'): void {
    this.gateway.model = ({ request }) => {
      this.requests.push(request);
      if (request.role === 'verify' && verdict !== undefined) return modelAnswer([], `VERDICT: ${verdict}`);
      try {
        return modelAnswer(policy(ParsedPrompt.of(request)));
      } catch (thrown) {
        return modelAnswer([call('fail', { text: String(thrown) })]);
      }
    };
  }

  assign(source: Parameters<typeof buildAssignment>[0], fields: Partial<Assignment> = {}): Assignment {
    const run = buildAssignment(source, fields);
    this.gateway.assign(run);
    return run;
  }

  async waitForOutcome(run: Assignment) {
    await until('the run ended', () => this.gateway.log.outcome(run) !== undefined, RUN_TIMEOUT_MS);
    return this.gateway.log.outcome(run);
  }

  events(run: Assignment, type: string) {
    return this.gateway.log.of(run).filter((event) => event.type === type);
  }

  questions(): RunQuestion[] {
    return this.gateway.all('append').flatMap(({ question }) => (question ? [question] : []));
  }

  /** Waits for a question, the first by default. */
  async question(n = 1): Promise<RunQuestion> {
    await until(`question ${n}`, () => this.questions().length >= n, RUN_TIMEOUT_MS);
    return this.questions()[n - 1] as RunQuestion;
  }

  /** Answers a question, the first by default. */
  async reply(run: Assignment, n: number, answer: Pick<RunAnswer, 'choice' | 'text' | 'target'>): Promise<void> {
    const { step, questionNumber: number } = await this.question(n);
    this.gateway.broadcast({
      type: 'question.answered',
      run: run.run,
      epoch: run.epoch,
      answer: { step, ...(number !== undefined && { questionNumber: number }), answeredBy: 'Ada', ...answer },
    });
  }
}
