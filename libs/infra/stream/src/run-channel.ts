import type { RedisPubSub, Subscription } from './redis-pubsub.ts';

/** Encoding of a channel's messages. */
interface MessageFormat<Message> {
  encode(message: Message): Buffer | string;
  decode(data: Buffer): Message;
}

/** Messages as JSON. The sender is another replica of the same version, so they are not validated. */
const jsonFormat = <Message>(): MessageFormat<Message> => ({
  encode: (message) => JSON.stringify(message),
  decode: (data) => JSON.parse(data.toString()) as Message,
});

/** Messages as they are, for example images. */
export const binaryFormat: MessageFormat<Buffer> = { encode: (message) => message, decode: (data) => data };

/**
 * Typed messages about runs between replicas. Nothing is stored: a message without a subscriber, or during an outage of
 * Redis, is lost.
 */
export class RunChannel<Message> {
  private readonly pubsub: Pick<RedisPubSub, 'publish' | 'subscribe'>;
  private readonly name: string;
  private readonly format: MessageFormat<Message>;

  /** @param name unique among all channels */
  constructor(
    pubsub: Pick<RedisPubSub, 'publish' | 'subscribe'>,
    name: string,
    format: MessageFormat<Message> = jsonFormat<Message>(),
  ) {
    this.pubsub = pubsub;
    this.name = name;
    this.format = format;
  }

  /**
   * Publishes to the current subscribers. Never throws.
   * @param topic a run, or another id that only some replicas listen to; omitted: all replicas
   */
  publish(message: Message, topic?: string): Promise<void> {
    return this.pubsub.publish(this.channelOf(topic), this.format.encode(message));
  }

  /** Calls `listener` with messages of any replica once the subscription is `ready`. @param topic as in `publish` */
  subscribe(listener: (message: Message) => void, topic?: string): Subscription {
    return this.pubsub.subscribe(this.channelOf(topic), (data) => listener(this.format.decode(data)));
  }

  private channelOf(topic: string | undefined): string {
    return topic === undefined ? this.name : `${this.name}:${topic}`;
  }
}
