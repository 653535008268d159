import type { ConformanceCase, ConformanceGroup, Outcome } from '../conformance/conformance-case.ts';
import { startKit, testContext, type SurfaceKit } from './browser-test-kit.ts';

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

/** Defines one test per case of a group. */
export function conformance({ name, cases }: ConformanceGroup): void {
  describe(`conformance: ${name}`, () => {
    let kit: SurfaceKit;
    beforeAll(async () => {
      kit = await startKit();
    });
    afterAll(() => kit.close());

    test.each(cases.map((conformanceCase, index) => [conformanceCase.name, conformanceCase, index] as const))(
      '%s',
      async (_, conformanceCase, index) => {
        expect(await outcomeOf(kit, conformanceCase, `/case-${index}`)).toEqual(expectedOf(conformanceCase));
      },
    );
  });
}

function expectedOf({ outcome: { error, message, notes = '-' } }: ConformanceCase): Outcome {
  return {
    notes,
    ...(error !== undefined && { error }),
    ...(message !== undefined && { message: expect.stringContaining(message) as string }),
  };
}

async function outcomeOf(kit: SurfaceKit, conformanceCase: ConformanceCase, path: string): Promise<Outcome> {
  const { html, documents = {}, viewport, steps, timeoutMs = 10_000, outcome } = conformanceCase;
  const secondOrigin = kit.origin.replace('127.0.0.1', 'localhost');
  const page = (body: string) =>
    documentOf(body).replaceAll('PATH/', `${kit.origin}${path}/`).replaceAll('OTHER/', `${secondOrigin}${path}/`);
  for (const [name, body] of Object.entries(documents)) kit.serve(`${path}${name}`, page(body));
  const url = kit.serve(path, page(html));
  const surface = await kit.open(viewport && { browser: { viewport } });
  try {
    await kit.act(surface, { action: 'navigate', url });
    for (const step of steps.slice(0, -1)) await kit.act(surface, step);
    const last = steps.at(-1);
    const failure = last ? await failureOf(kit.act(surface, last, testContext(timeoutMs))) : null;
    const expectedNotes = outcome.notes ?? '-';
    await surface.expect({ title: expectedNotes }, testContext(NOTES_TIMEOUT_MS)).catch(() => undefined);
    const notes = await kit.title(surface);
    return {
      notes,
      ...(failure && { error: failure.code ?? failure.message }),
      ...(failure && outcome.message !== undefined && { message: failure.message }),
    };
  } finally {
    await surface.close();
  }
}

async function failureOf(action: Promise<unknown>): Promise<{ code?: string; message: string } | null> {
  try {
    await action;
    return null;
  } catch (error) {
    return error as { code?: string; message: string };
  }
}
