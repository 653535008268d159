import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { FromWorker, FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorker } from '@pilothouse/contract/worker/to-worker.messages';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { setWorkerState, type Pool } from '@pilothouse/infra-db';
import type { ControlRelay } from '../../control/control-relay.ts';
import type { LiveFrameRelay } from '../../live/live-frame-relay.ts';
import type { AgentThinkingRelay } from '../../runs/events/agent-thinking-relay.ts';
import type { HistoryRequests } from '../requests/history-requests.ts';
import type { ScreenParseService } from '../../screen-parsing/screen-parse.service.ts';
import type { ModelRequests } from '../requests/model-requests.ts';
import type { ProfileRequests } from '../requests/profile-requests.ts';
import type { SiteRequests } from '../requests/site-requests.ts';
import type { TransferRequests } from '../requests/transfer-requests.ts';
import type { BulkChannel, WorkerChannel, WorkerSession } from '../socket/worker-session.ts';
import type { AttemptMessages } from './attempt-messages.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

export interface WorkerMessageHandlerDeps {
  pool: Pool;
  attempts: AttemptMessages;
  transferRequests: TransferRequests;
  siteRequests: SiteRequests;
  profileRequests: ProfileRequests;
  modelRequests: Pick<ModelRequests, 'call'>;
  /** Null: no screen parser is configured. */
  screenParseService: Pick<ScreenParseService, 'parse'> | null;
  historyRequests: HistoryRequests;
  liveFrames: Pick<LiveFrameRelay, 'publishFrame'>;
  controlRelay: Pick<ControlRelay, 'publishResult'>;
  agentThinking: Pick<AgentThinkingRelay, 'publish'>;
  workerMetrics: Pick<WorkerMetrics, 'addReport'>;
  log: Log;
  /** A slot of the worker may have become free. */
  onSlotFree(session: WorkerSession): void;
}

type Handler<Peer, Type extends FromWorker['type']> = (peer: Peer, message: FromWorkerOf<Type>) => Promise<void> | void;

/** Messages that a worker may send on its bulk channel, too. */
type BulkType = 'model.request' | 'screen_parse.request' | 'screencast.frame';
/** Messages that open a connection. */
type HelloType = 'hello' | 'bulk.hello';
type SessionType = Exclude<FromWorker['type'], BulkType | HelloType>;

type BulkHandlers = { [Type in BulkType]: Handler<WorkerChannel, Type> };
type SessionHandlers = { [Type in SessionType]: Handler<WorkerSession, Type> };

/** Sends the result of a request to the worker. */
const reply =
  <Peer extends WorkerChannel, Message>(handle: (peer: Peer, message: Message) => Promise<ToWorker>) =>
  async (peer: Peer, message: Message): Promise<void> =>
    void peer.socket.send(await handle(peer, message));

const isBulkMessage = (message: FromWorker): message is FromWorkerOf<BulkType> =>
  message.type === 'model.request' || message.type === 'screen_parse.request' || message.type === 'screencast.frame';

/** Handles each message of an open session or bulk channel. */
export class WorkerMessageHandler {
  private readonly deps: WorkerMessageHandlerDeps;

  constructor(deps: WorkerMessageHandlerDeps) {
    this.deps = deps;
  }

  /** @throws PilothouseError PROTOCOL_INVALID for a second `hello` */
  async handle(session: WorkerSession, message: FromWorker): Promise<void> {
    if (message.type === 'hello' || message.type === 'bulk.hello')
      throw new PilothouseError('PROTOCOL_INVALID', `${message.type} must be the first message on a socket`);
    if (isBulkMessage(message)) return this.handleBulkMessage(session, message);
    const handler = this.sessionHandlers[message.type] as Handler<WorkerSession, SessionType>;
    await handler(session, message);
  }

  /** @throws PilothouseError PROTOCOL_INVALID for a message that belongs to the session */
  async handleOnBulkChannel(channel: BulkChannel, message: FromWorker): Promise<void> {
    if (!isBulkMessage(message))
      throw new PilothouseError(
        'PROTOCOL_INVALID',
        'The bulk socket accepts only `model.request`, `screen_parse.request` and screencast frames. Send other messages on the session socket.',
      );
    await channel.admission;
    await this.handleBulkMessage(channel, message);
  }

  private async handleBulkMessage(channel: WorkerChannel, message: FromWorkerOf<BulkType>): Promise<void> {
    const handler = this.bulkHandlers[message.type] as Handler<WorkerChannel, BulkType>;
    await handler(channel, message);
  }

  private readonly bulkHandlers: BulkHandlers = {
    'model.request': reply((channel, message) => this.deps.modelRequests.call(channel, message)),
    'screen_parse.request': reply(async ({ id: session }, { id, run, epoch, jpeg }) => {
      if (!this.deps.screenParseService) throw new PilothouseError('UNAVAILABLE', 'No screen parser is configured');
      const screenshot = { jpeg: Buffer.from(jpeg, 'base64') };
      const elements = await this.deps.screenParseService.parse({ ...screenshot, run, epoch, session });
      return { type: 'screen_parse.response', id, elements: [...elements] };
    }),
    'screencast.frame': ({ id }, message) => this.deps.liveFrames.publishFrame(id, message),
  };

  private readonly sessionHandlers: SessionHandlers = {
    ready: (session, { freeSlots, assignmentsReceived }) => {
      session.onReady(freeSlots, assignmentsReceived);
      this.deps.onSlotFree(session);
    },
    accepted: (session, message) => this.deps.attempts.accept(session, message),
    handback: (session, message) => this.deps.attempts.handBack(session, message),
    append: (session, message) => this.deps.attempts.append(session, message),
    renew: (session, message) => this.deps.attempts.renew(session, message),
    'upload.request': reply((session, message) => this.deps.transferRequests.grantUpload(session, message)),
    'upload.done': reply((session, message) => this.deps.transferRequests.confirmUpload(session, message)),
    'file.request': reply((session, message) => this.deps.transferRequests.grantDownload(session, message)),
    'secret.request': reply((session, message) => this.deps.transferRequests.readSecret(session, message)),
    'site_limit.request': reply((session, message) => this.deps.siteRequests.acquire(session, message)),
    'profile.request': reply((session, message) => this.deps.profileRequests.load(session, message)),
    'profile.save': reply((session, message) => this.deps.profileRequests.save(session, message)),
    'action_cache.get': reply((session, message) => this.deps.historyRequests.readAction(session, message)),
    'action_cache.put': reply((session, message) => this.deps.historyRequests.storeActions(session, message)),
    'locators.request': reply((session, message) => this.deps.historyRequests.locators(session, message)),
    'control.inspection': async ({ attempts }, { run, epoch, id, result }) => {
      // The result of an attempt that the worker no longer holds is dropped.
      if (attempts.get({ run, epoch })) await this.deps.controlRelay.publishResult(id, result);
    },
    'agent.thinking': async ({ attempts }, { run, epoch, ...thinking }) => {
      if (attempts.get({ run, epoch })) await this.deps.agentThinking.publish(run, thinking);
    },
    metrics: (session, message) => this.deps.workerMetrics.addReport(session, message),
    bye: async (session, { reason }) => {
      session.drain();
      this.deps.log.info({ worker: session.workerName, reason }, 'worker disconnecting');
      await setWorkerState(this.deps.pool, session.id, 'disconnected');
    },
  };
}
