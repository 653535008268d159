import { MAX_ASSIGNMENT_CHARS, MAX_MESSAGE_BYTES, MESSAGE_CHUNK_CHARS, PilothouseError } from '@pilothouse/contract';
import type { WorkerSocket } from '../socket/worker-socket.ts';

/** An assignment that no worker is sent. @param chars of its JSON, or bytes of what it would hold */
export const assignmentTooLarge = (chars: number): PilothouseError =>
  new PilothouseError(
    'PAYLOAD_TOO_LARGE',
    `What the run has read so far has ${inMB(chars)} MB, and another worker can be given ${inMB(MAX_ASSIGNMENT_CHARS)} MB to go on with: read less in its loops, or split it into several runs`,
  );

/**
 * Brings an assignment to its worker: in one message, or in pieces where it is too long for one.
 * @param text JSON of the message
 * @throws PilothouseError PAYLOAD_TOO_LARGE when no worker can be given it, ASSIGNMENT_NOT_ACCEPTED when this one cannot, or does not read it
 */
export async function sendAssignment(socket: WorkerSocket, text: string): Promise<void> {
  const { workerName: worker } = socket;
  // Made where it is thrown: an error notes where it was made, and that takes longer than the sending.
  const gone = () =>
    new PilothouseError('ASSIGNMENT_NOT_ACCEPTED', `Worker ${worker} went away before it took the run`);
  const whole = () => {
    if (!socket.sendText(text)) throw gone();
    socket.assigned();
  };
  if (text.length <= MESSAGE_CHUNK_CHARS) return whole();
  if (text.length > MAX_ASSIGNMENT_CHARS) throw assignmentTooLarge(text.length);
  if (!socket.acceptsChunks) {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_MESSAGE_BYTES)
      throw new PilothouseError(
        'ASSIGNMENT_NOT_ACCEPTED',
        `The run goes on with ${inMB(bytes)} MB, and worker ${worker} is of a version that takes ${inMB(MAX_MESSAGE_BYTES)} MB at most: update it`,
      );
    return whole();
  }
  socket.assigned();
  let isThere = false;
  for await (const { isLast } of socket.sendPieces(text)) isThere = isLast;
  if (!isThere) throw gone();
}

const inMB = (size: number) => Math.round(size / 100_000) / 10;
