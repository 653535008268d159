import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { SurfaceFile } from '@pilothouse/core/ports/surface.port';
import type { CaseResponse, ConformanceCase, ConformanceGroup, Outcome } from '../conformance/conformance-case.ts';
import type { BrowserSurface } from '../browser.surface.ts';
import { startKit, testContext, type PageReply, type SurfaceKit } from './browser-test-kit.ts';

// Runs the cases of a conformance table. Imported by specs only.

/** Notes are written to the title, which takes no space in the page. Frames send theirs to the top page. */
const NOTE = `<script>
  const note = (what) => { if (window === top) { document.title = document.title === '-' ? String(what) : document.title + ' ' + what; } else top.postMessage({ note: String(what) }, '*'); };
  if (window === top) addEventListener('message', ({ data }) => { if (data && data.note) note(data.note); });
</script>`;

const documentOf = (body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>-</title>${NOTE}</head><body>${body}</body></html>`;

/** Maximum wait for notes of the last action. */
const NOTES_TIMEOUT_MS = 2000;

/** Defines one test per case. All groups share a browser. */
export function conformance(...groups: readonly ConformanceGroup[]): void {
  describe('conformance', () => {
    let kit: SurfaceKit;
    let cases = 0;
    beforeAll(async () => {
      kit = await startKit();
      for (const name of ['a.txt', 'b.txt']) await writeFile(join(kit.folder, name), `content of ${name}`);
    });
    afterAll(() => kit.close());

    describe.each(groups.map((group) => [group.name, group] as const))('%s', (_, group) => {
      const named = group.cases.map((conformanceCase) => [conformanceCase.name, conformanceCase] as const);
      test.each(named)('%s', async (_, conformanceCase) => {
        cases += 1;
        expect(await outcomeOf(kit, conformanceCase, `/case-${cases}`)).toEqual(expectedOf(conformanceCase));
      });
    });
  });
}

function expectedOf({ outcome: { notes = '-', message, ...outcome } }: ConformanceCase): Outcome {
  return { notes, ...outcome, ...(message !== undefined && { message: expect.stringContaining(message) as string }) };
}

function replyOf({ status = 200, headers = {}, body = '' }: CaseResponse): PageReply {
  return (_, response) => {
    if (body === null) return;
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(body);
  };
}

async function outcomeOf(kit: SurfaceKit, conformanceCase: ConformanceCase, path: string): Promise<Outcome> {
  const { html, documents = {}, responses = {}, viewport, timeoutMs = 10_000, outcome } = conformanceCase;
  const secondOrigin = kit.origin.replace('127.0.0.1', 'localhost');
  const resolve = <Value>(value: Value): Value => {
    const text = JSON.stringify(value)
      .replaceAll('PATH/', `${kit.origin}${path}/`)
      .replaceAll('OTHER/', `${secondOrigin}${path}/`);
    return JSON.parse(text) as Value;
  };
  for (const [name, body] of Object.entries(documents)) kit.serve(`${path}${name}`, resolve(documentOf(body)));
  for (const [name, reply] of Object.entries(responses)) kit.serve(`${path}${name}`, replyOf(resolve(reply)));
  const url = kit.serve(path, resolve(documentOf(html)));
  const files: SurfaceFile[] = [];
  const surface = await kit.open({ ...(viewport && { browser: { viewport } }), onFile: (file) => files.push(file) });
  const file = async (name: string) => join(kit.folder, name);
  try {
    await kit.act(surface, { action: 'navigate', url });
    const steps = resolve(conformanceCase.steps);
    for (const step of steps.slice(0, -1)) await kit.act(surface, step, testContext(10_000, { file }));
    const result = await resultOf(surface, steps.at(-1), testContext(timeoutMs, { file }));
    if (files.length < (outcome.files?.length ?? 0)) await surface.waitForFiles(testContext(NOTES_TIMEOUT_MS));
    const expectedNotes = outcome.notes ?? '-';
    await surface.expect({ title: expectedNotes }, testContext(NOTES_TIMEOUT_MS)).catch(() => undefined);
    const anchors = await surface.anchors(testContext(10_000));
    return {
      notes: anchors.title,
      ...(result.error !== undefined && { error: result.error }),
      ...(outcome.message !== undefined && { message: result.message ?? '' }),
      ...(result.effect !== undefined && { effect: result.effect }),
      ...(outcome.path !== undefined && { path: anchors.url.replace(`${kit.origin}${path}`, '') }),
      ...(outcome.files !== undefined && { files: files.map(({ name }) => name).sort() }),
    };
  } finally {
    await surface.close();
  }
}

async function resultOf(
  surface: BrowserSurface,
  action: Action | undefined,
  context: ReturnType<typeof testContext>,
): Promise<Pick<Outcome, 'error' | 'message' | 'effect'>> {
  if (!action) return {};
  try {
    const { effect, effectReason } = await surface.act(action, context);
    const isCertain = effect === undefined || effect === 'confirmed' || effectReason === undefined;
    return isCertain ? {} : { effect, message: effectReason };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return { error: code ?? message, message };
  }
}
