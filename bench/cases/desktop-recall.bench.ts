/**
 * Recall of the element list in real applications. `bench/recall` has a screenshot of each, and labels of everything in it that a person
 * can click or type into. A window that looks different today is reported and not counted. There is no peer.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import { systemTimers } from '@pilothouse/core/time/timers';
import sharp from 'sharp';
import { contextWithin } from '../../libs/surface/desktop/src/testing/desktop.fixture.ts';
import { atLeast, atMost, plain, type Bench, type Figure } from '../harness/bench.ts';
import { openBenchDesktop, type BenchDesktop } from '../harness/desktop-bench.ts';
import {
  openRecallApplication,
  recallApplications,
  recallCommands,
  type RecallApplication,
} from '../harness/recall-applications.ts';
import { layoutDifference } from '../harness/recall-layout.ts';
import { matchLabels, type Label, type LabelMatch } from '../harness/recall-match.ts';

const folder = join(import.meta.dirname, '../recall');

/** Share of a screenshot that may differ from the labelled one: names of temporary folders, and text that is drawn later. */
const MAX_LAYOUT_DIFFERENCE = 0.01;

/** Milliseconds for a list without missing elements. */
const COMPLETE_TIMEOUT_MS = 90_000;

/** Sides of an image that a locator takes, in pixels. */
const MIN_TEMPLATE_PX = 6;
const MAX_TEMPLATE_PX = 400;

/** Seconds to find one label on the screen. */
const LOCATE_TIMEOUT_S = 20;

interface ApplicationRecall extends LabelMatch {
  readonly id: string;
  readonly name: string;
  readonly toolkit: string;
  /** Share of the screenshot that differs from the labelled one. */
  readonly layoutDifference: number;
  readonly isLayoutEqual: boolean;
  /** Labels without an element that a locator by text or image finds at one place only. */
  readonly foundOnScreen: readonly string[];
  /** False: each read ended at its deadline. */
  readonly isComplete: boolean;
}

export const desktopRecall: Bench = async ({ log }) => {
  const recalls: ApplicationRecall[] = [];
  for (const application of recallApplications) {
    const recall = await measureApplication(application);
    recalls.push(recall);
    const { name, found, labels, entries, missed, foundOnScreen, isLayoutEqual, isComplete } = recall;
    const layout = isLayoutEqual ? '' : `, another layout (${(100 * recall.layoutDifference).toFixed(1)} %)`;
    const state = `${layout}${isComplete ? '' : ', list incomplete'}`;
    log(
      `${name}: ${found} of ${labels}, ${foundOnScreen.length} by text or image, ${entries} entries${state}${missed.length > 0 ? `; missed: ${missed.join(', ')}` : ''}`,
    );
  }
  return { figures: figuresOf(recalls), raw: { applications: recalls } };
};

async function measureApplication(application: RecallApplication): Promise<ApplicationRecall> {
  const { id, name, toolkit } = application;
  const [labels, labelled] = await Promise.all([readLabels(id), readFile(join(folder, `${id}.png`))]);
  const desktop = await openBenchDesktop({ commands: recallCommands });
  try {
    const screenshot = await openRecallApplication(desktop, application);
    const { elements, incomplete } = await completeList(desktop);
    const difference = await layoutDifference(labelled, screenshot);
    const match = matchLabels(labels, elements.filter(isActionable));
    const foundOnScreen = await findOnScreen(desktop, match.missedLabels, labelled);
    return {
      foundOnScreen,
      ...{ id, name, toolkit },
      layoutDifference: difference,
      isLayoutEqual: difference <= MAX_LAYOUT_DIFFERENCE,
      isComplete: incomplete === undefined,
      ...match,
    };
  } finally {
    await desktop.close();
  }
}

/**
 * Labels that the active window shows at one place only, as a text (OCR) or as the image of the labelled screenshot. A workflow reaches them
 * by `screenText` or `image`.
 */
async function findOnScreen({ surface }: BenchDesktop, labels: readonly Label[], labelled: Buffer): Promise<string[]> {
  const isUnique = (target: Target) =>
    surface.isMet({ count: { target, equals: 1 } }, contextWithin(LOCATE_TIMEOUT_S)).catch(() => false);
  const found: string[] = [];
  for (const { name, bounds } of labels) {
    const { x: left, y: top, width, height } = bounds;
    const isTemplate = [width, height].every((side) => side >= MIN_TEMPLATE_PX && side <= MAX_TEMPLATE_PX);
    const crop = isTemplate ? await sharp(labelled).extract({ left, top, width, height }).png().toBuffer() : null;
    const image = crop && { image: { data: crop.toString('base64') } };
    if ((image && (await isUnique(image))) || (await isUnique({ screenText: name, exact: true }))) found.push(name);
  }
  return found;
}

/** Element list when two reads in a row are complete and have as many elements. A read that ends at its deadline is repeated. */
async function completeList({ surface }: BenchDesktop): Promise<Observation> {
  const deadline = performance.now() + COMPLETE_TIMEOUT_MS;
  let previous: Observation | null = null;
  for (;;) {
    const observation = await surface.observe({}, contextWithin(20));
    const isStable = !observation.incomplete && previous?.elements.length === observation.elements.length;
    if (isStable || performance.now() > deadline) return observation;
    previous = observation.incomplete ? null : observation;
    await systemTimers.delay(500);
  }
}

/** Disabled controls are neither labelled nor counted. */
const isActionable = ({ interactive, state }: ElementView): boolean => interactive && state.disabled !== true;

/** Labels of an application. Each is a box in pixels of the screen and a name. */
async function readLabels(id: string): Promise<Label[]> {
  const rows = JSON.parse(await readFile(join(folder, `${id}.json`), 'utf8')) as [
    number,
    number,
    number,
    number,
    string,
  ][];
  return rows.map(([x, y, width, height, name]) => ({ name, bounds: { x, y, width, height } }));
}

function figuresOf(recalls: readonly ApplicationRecall[]): Figure[] {
  const counted = recalls.filter(({ isLayoutEqual }) => isLayoutEqual);
  const sum = (field: 'labels' | 'found' | 'entries') => counted.reduce((total, recall) => total + recall[field], 0);
  return [
    ...counted.flatMap(({ name, toolkit, labels, found, entries }) => [
      plain(`${name} (${toolkit}): listed, of ${labels}`, found, `(${entries} entries)`),
    ]),
    atLeast(`targets of ${counted.length} applications that are listed`, (100 * sum('found')) / sum('labels'), 90, '%'),
    atLeast(
      'the same with those that a text (OCR) or an image finds at one place',
      (100 * (sum('found') + counted.reduce((total, { foundOnScreen }) => total + foundOnScreen.length, 0))) /
        sum('labels'),
      85,
      '%',
    ),
    atMost('entries for each target', sum('entries') / sum('labels'), 1.3, ''),
    atMost('windows that look different from their labelled screenshot', recalls.length - counted.length, 0, ''),
    atMost('windows whose list is incomplete', recalls.filter(({ isComplete }) => !isComplete).length, 0, ''),
  ];
}
