/**
 * Screenshots that the cache of the screen parser answers. The runs of one workflow work through four screens of a terminal, which publishes no
 * elements, each run in a session of its own. The key is made from the image, as the gateway makes it: the first run misses, later runs hit
 * unless a pixel differs.
 */
import type { ScreenParser } from '@pilothouse/core/ports/screen-parser.port';
import { createHash } from 'node:crypto';
import { actor, contextWithin, startDesktopKit } from '../../libs/surface/desktop/src/testing/desktop.fixture.ts';
import { atLeast, forSize, plain, type Bench } from '../harness/bench.ts';

/** Screens of the workflow, and the text that each shows. */
const SCREENS = ['Orders of today', 'Customer 4711', 'Invoice of the customer', 'The invoice was paid'];

export const desktopParserCache: Bench = async (options) => {
  const runs = forSize(options, { smoke: 2, short: 10, full: 30 });
  const known = new Set<string>();
  const counts = { hits: 0, misses: 0 };
  const screenParser: ScreenParser = {
    isAvailable: true,
    parse: ({ jpeg }) => {
      const key = createHash('sha256').update(jpeg).digest('hex');
      if (known.has(key)) counts.hits += 1;
      else counts.misses += 1;
      known.add(key);
      return Promise.resolve([]);
    },
  };
  const kit = await startDesktopKit();
  try {
    for (let run = 0; run < runs; run += 1) {
      const surface = await kit.open({ screenParser });
      const act = actor(() => surface);
      await act({ action: 'openApp', app: 'debian-xterm' }, 60);
      for (const text of SCREENS) {
        await act({ action: 'type', text: `clear; printf '\\n%s\\n' '${text}'\n` });
        // Waits as a step does, until the screen shows its text and rests.
        await act({ action: 'waitFor', condition: { text, stableMs: 300 } }, 60);
        await surface.observe({}, contextWithin(20));
      }
      await surface.close();
      options.log(`run ${run + 1}: ${counts.hits} hits, ${counts.misses} misses`);
    }
  } finally {
    await kit.close();
  }
  const parses = counts.hits + counts.misses;
  return {
    figures: [
      atLeast(`screenshots of ${runs} runs that the cache answers`, (counts.hits / parses) * 100, 80, '%'),
      plain('screenshots', parses, ''),
    ],
    raw: { ...counts, screens: SCREENS.length, runs },
  };
};
