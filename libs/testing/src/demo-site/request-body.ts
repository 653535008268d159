import type { IncomingMessage } from 'node:http';
import { HttpProblem } from './site-problem.ts';

/** Maximum size of a request body in bytes. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Bytes of a rejected upload that are read, so that the browser shows the response. */
const MAX_DISCARD_BYTES = 64 * 1024 * 1024;

/**
 * Reads and parses a form body, multipart or urlencoded.
 * Throws `HttpProblem` 413 beyond `MAX_BODY_BYTES`, 415 for other content types, 400 for a body that does not parse.
 */
export async function readForm(request: IncomingMessage): Promise<FormData> {
  const type = request.headers['content-type'] ?? '';
  if (!/^(multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(type)) {
    throw new HttpProblem(415, 'This address takes forms only (multipart/form-data or urlencoded).');
  }
  const body = await readBody(request);
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  } catch {
    throw new HttpProblem(400, 'The form could not be read.');
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      // Reads the rest up to a limit. A browser that still sends when the connection closes reports a network error
      // instead of the 413.
      else if (size > MAX_DISCARD_BYTES) break;
    }
  } catch {
    throw new HttpProblem(400, 'The request ended before its body was complete.');
  }
  if (size > MAX_BODY_BYTES)
    throw new HttpProblem(413, 'What you sent is larger than 2 MB. Choose a smaller file and try again.');
  return Buffer.concat(chunks);
}
