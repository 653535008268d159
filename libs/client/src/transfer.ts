import { PilothouseError, type Transfer } from '@pilothouse/contract';

/** Sends a file as its transfer says. @throws PilothouseError UPLOAD_FAILED */
export async function sendFile(transfer: Transfer, base: string, content: Blob, signal: AbortSignal): Promise<void> {
  const { method, url, headers } = transfer;
  const response = await fetch(new URL(url, base), { method, headers, body: content, signal }).catch(
    (thrown: unknown) => {
      signal.throwIfAborted();
      throw new PilothouseError('UPLOAD_FAILED', `The object store cannot be reached: ${String(thrown)}`, {
        cause: thrown,
      });
    },
  );
  if (!response.ok)
    throw new PilothouseError('UPLOAD_FAILED', `The object store refused the file with ${response.status}`);
}
