import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { FromWorker } from '@pilothouse/contract/worker/from-worker.messages';
import type { WorkerMessageHandler } from './messages/worker-message-handler.ts';
import type { SessionOpener } from './session-opener.ts';
import { WorkerSession, type BulkChannel } from './socket/worker-session.ts';
import type { WorkerSocket } from './socket/worker-socket.ts';

/** One socket of a worker, from its first message on: it becomes a session or a bulk channel. */
export class WorkerConnection {
  readonly socket: WorkerSocket;
  private readonly opener: SessionOpener;
  private readonly handler: WorkerMessageHandler;
  private channel: WorkerSession | BulkChannel | null = null;

  constructor(socket: WorkerSocket, opener: SessionOpener, handler: WorkerMessageHandler) {
    this.socket = socket;
    this.opener = opener;
    this.handler = handler;
  }

  /** The session of the worker; null before `hello` and on a bulk channel. */
  get session(): WorkerSession | null {
    return this.channel instanceof WorkerSession ? this.channel : null;
  }

  /** The bulk channel of a worker. */
  get bulkChannel(): BulkChannel | null {
    return this.channel instanceof WorkerSession ? null : this.channel;
  }

  /** The worker has sent an accepted `hello` or `bulk.hello`. */
  get isIdentified(): boolean {
    return this.channel !== null;
  }

  /** @throws PilothouseError PROTOCOL_INVALID for a message that does not fit the state of the connection */
  async handle(message: FromWorker): Promise<void> {
    const { channel } = this;
    if (channel instanceof WorkerSession) return this.handler.handle(channel, message);
    if (channel) return this.handler.handleOnBulkChannel(channel, message);
    switch (message.type) {
      case 'hello':
        this.channel = await this.opener.open(this.socket, message);
        return;
      case 'bulk.hello': {
        const bulkChannel = this.opener.openBulkChannel(this.socket, message);
        this.channel = bulkChannel;
        if (bulkChannel) await this.opener.completeBulkChannel(bulkChannel);
        return;
      }
      default:
        throw new PilothouseError('PROTOCOL_INVALID', 'The first message on a socket must be hello');
    }
  }
}
