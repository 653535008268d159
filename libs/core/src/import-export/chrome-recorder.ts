import { type Locator, type Target, toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import type { ChromeRecording, ChromeRecordingStep } from '@pilothouse/contract/workflow/chrome-recording.schema';
import { isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import type { WorkflowDefinition, WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { exactLocator } from '../workflow/exact-locator.ts';
import { MISSING_STEP } from '../workflow/missing-step.ts';
import { escapeTemplates } from '../workflow/templates.ts';

type StepInput = WorkflowDefinitionInput['steps'][number];

/** A workflow from a recording, and notes on the parts that were dropped. */
export interface ChromeImport {
  readonly workflow: WorkflowDefinitionInput;
  /** Sentences for people. */
  readonly notes: readonly string[];
  /** Recorded steps without an equivalent. The workflow has a step in their place that fails, and that lint rejects. */
  readonly missing: readonly string[];
}

const modifiers: ReadonlySet<string> = new Set(['Alt', 'Control', 'Meta', 'Shift']);

/** A workflow of a recording of the Recorder panel of Chrome DevTools. */
export function importRecording({ title, steps: recordedSteps }: ChromeRecording): ChromeImport {
  const steps = withLiteralTexts(recordedSteps);
  const notes: string[] = [];
  const missing: string[] = [];
  const pressedModifiers: string[] = [];
  const convertedSteps: StepInput[] = [];
  let viewport: { width: number; height: number } | undefined;
  for (const [index, step] of steps.entries()) {
    const describeReason = (reason: string) => `Step ${index + 1} (${step.type}): ${reason}`;
    const note = (reason: string) => void notes.push(describeReason(reason));
    if (step.type === 'setViewport') {
      const { width = 0, height = 0 } = step;
      if (!viewport && width >= 100 && height >= 100) viewport = { width, height };
    } else if (step.type === 'keyDown' && modifiers.has(step.key ?? '')) pressedModifiers.push(step.key ?? '');
    else if (step.type === 'keyUp')
      pressedModifiers.splice(0, pressedModifiers.length, ...pressedModifiers.filter((key) => key !== step.key));
    else if (step.type === 'scroll') note('skipped: steps scroll their element into view');
    else {
      const stepOrReason = importStep(step, pressedModifiers);
      if (typeof stepOrReason !== 'string') convertedSteps.push(stepOrReason);
      else {
        missing.push(describeReason(stepOrReason));
        convertedSteps.push(missingStep(describeReason(stepOrReason)));
      }
      if (step.type === 'change' && /passw|passcode|\bpin\b|secret/i.test(JSON.stringify(step.selectors)))
        note('it contains the typed text: make it a secret input');
    }
  }
  const name = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  const workflow = {
    name: name.replace(/-+$/, '') || 'recording',
    title: title.slice(0, 200) || 'Recording',
    ...(viewport && { browser: { viewport } }),
    steps: convertedSteps,
  };
  return { workflow, notes, missing };
}

/** A page's texts may contain `{{`. They are no templates of the workflow. */
function withLiteralTexts(steps: ChromeRecording['steps']): ChromeRecording['steps'] {
  const escape = (value: unknown): unknown => {
    if (typeof value === 'string') return escapeTemplates(value);
    if (Array.isArray(value)) return value.map(escape);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, escape(item)]));
  };
  return escape(steps) as ChromeRecording['steps'];
}

/** Converts a recorded step. Returns a sentence if there is no equivalent. */
function importStep(recordedStep: ChromeRecordingStep, pressedModifiers: readonly string[]): StepInput | string {
  const { type, url, value, key, visible } = recordedStep;
  if (type === 'navigate') return url === undefined ? 'it has no URL' : { action: 'navigate', url };
  if (type === 'keyDown')
    return key === undefined ? 'it has no key' : { action: 'press', key: [...pressedModifiers, key].join('+') };
  if (type === 'close') return { action: 'closeTab' };
  if (!['click', 'doubleClick', 'hover', 'change', 'waitForElement'].includes(type)) return 'no equivalent step';
  const scope = frameScope(recordedStep.frame ?? []);
  const locators = (recordedStep.selectors ?? []).flatMap((selector) => locatorsOf(selector, type));
  // The beginning of a text may match another element. It is used only if there is no other locator.
  const certain = locators.filter(({ text, exact }) => text === undefined || exact || type === 'waitForElement');
  const target = (certain.length > 0 ? certain : locators)
    .map((locator) => (scope ? scopedTo(locator, scope) : locator))
    .slice(0, 10);
  if (target.length === 0) return 'no usable selector: XPath is not supported';
  switch (type) {
    case 'hover':
      return { action: 'hover', target };
    case 'change':
      return isSelect(recordedStep)
        ? { action: 'selectOption', target, option: value ?? '', by: 'value' }
        : { action: 'fill', target, text: value ?? '' };
    case 'waitForElement':
      return { action: 'waitFor', condition: visible === false ? { hidden: target } : { visible: target } };
    default: {
      const navigationUrl = recordedStep.assertedEvents?.find((event) => event.type === 'navigation')?.url;
      const button =
        recordedStep.button === 'secondary' ? 'right' : recordedStep.button === 'auxiliary' ? 'middle' : undefined;
      const path = navigationUrl === undefined ? null : URL.parse(navigationUrl);
      return {
        action: 'click',
        target,
        ...(button && { button }),
        ...(type === 'doubleClick' && { count: 2 }),
        ...(pressedModifiers.length > 0 && { modifiers: pressedModifiers as ('Alt' | 'Control' | 'Meta' | 'Shift')[] }),
        ...(path && path.protocol.startsWith('http') && { expect: { url: `${path.origin}${path.pathname}` } }),
      };
    }
  }
}

/** A step in the place of a recorded one that has no equivalent. */
function missingStep(reason: string): StepInput {
  const message = `${MISSING_STEP} ${reason}`.slice(0, 1000);
  return { action: 'assert', condition: { text: message }, message };
}

/** Locator of a frame. A recording has its number in each document. Hidden frames count, unlike with `nth`. */
const frameScope = (numbers: readonly number[]): Locator | undefined =>
  numbers.reduce<Locator | undefined>(
    (within, number) => ({ css: `:nth-match(iframe, frame, ${number + 1})`, ...(within && { within }) }),
    undefined,
  );

/** Nests a locator in another one. */
const scopedTo = (locator: Locator, scope: Locator): Locator => ({
  ...locator,
  within: locator.within ? scopedTo(locator.within, scope) : scope,
});

/** Characters up to which Chrome records a whole text. Of a longer one it records a beginning that is unique. */
const MAX_WHOLE_TEXT_CHARS = 12;

/** True if the changed element is a select box. Recordings show this only in selectors. */
function isSelect({ selectors = [] }: ChromeRecordingStep): boolean {
  return selectors.some((selector) => {
    const last = typeof selector === 'string' ? selector : (selector.at(-1) ?? '');
    const [, kind = 'css', rest = ''] = /^(aria|text|pierce|xpath)\/(.*)$/s.exec(last) ?? [undefined, 'css', last];
    if (kind === 'aria') return rest.includes('[role="listbox"]');
    return kind !== 'text' && /(?:^|[\s>+~/|])select(?:[.#:[][^\s>+~/]*)?$/i.test(rest);
  });
}

/** Locators of a selector. A list of selectors crosses shadow roots. */
function locatorsOf(selector: string | readonly string[], type: string): Locator[] {
  const parts = typeof selector === 'string' ? [selector] : selector;
  const parent = parts.slice(0, -1).reduce<Locator | undefined | null>((within, part) => {
    const [locator] = locatorsOfSegment(part, type);
    return within === null || !locator ? null : { ...locator, ...(within && { within }) };
  }, undefined);
  if (parent === null) return [];
  return locatorsOfSegment(parts.at(-1) ?? '', type).map((locator) => ({
    ...locator,
    ...(parent && { within: parent }),
  }));
}

function locatorsOfSegment(selector: string, type: string): Locator[] {
  const [, kind = 'css', rest = ''] = /^(aria|text|pierce|xpath)\/(.*)$/s.exec(selector) ?? [
    undefined,
    'css',
    selector,
  ];
  if (kind === 'xpath' || rest === '') return [];
  // A wait for a text acts on no element.
  const isWholeText = rest.length <= MAX_WHOLE_TEXT_CHARS && type !== 'waitForElement';
  if (kind === 'text') return [isWholeText ? exactLocator({ text: rest }) : { text: rest }];
  if (kind !== 'aria') return [{ css: rest }];
  const role = /\[role="([^"]+)"\]/.exec(rest)?.[1];
  const name = rest.replace(/\[\w+="[^"]*"\]/g, '').trim();
  if (role !== undefined) return [exactLocator({ role, ...(name && { name }) })];
  if (name === '') return [];
  if (type === 'change') return [exactLocator({ label: name })];
  return ['button', 'link'].map((candidate) => exactLocator({ role: candidate, name }));
}

/** A recording from a workflow, and notes on the parts that were dropped. */
export interface ChromeExport {
  /** As the Recorder panel of Chrome DevTools imports it. */
  readonly recording: { readonly title: string; readonly steps: readonly Record<string, unknown>[] };
  /** Sentences for people. */
  readonly notes: readonly string[];
}

const DEFAULT_VIEWPORT = { width: 1280, height: 800 };

/** A recording for the Recorder panel of Chrome DevTools. Templates are not rendered. */
export function exportRecording({ name, title, browser, steps }: WorkflowDefinition): ChromeExport {
  const notes: string[] = [];
  const { width, height } = browser?.viewport ?? DEFAULT_VIEWPORT;
  const screen = { deviceScaleFactor: 1, isMobile: false, hasTouch: false, isLandscape: true };
  const convertedSteps: Record<string, unknown>[] = [{ type: 'setViewport', width, height, ...screen }];
  for (const [index, node] of steps.entries()) {
    const recorded = isBlock(node) ? null : exportStep(node);
    if (recorded) convertedSteps.push(...recorded);
    else notes.push(`Step ${index + 1} (${node.action}): a recording has no equivalent`);
  }
  return { recording: { title: title ?? name, steps: convertedSteps }, notes };
}

type SimpleStep = Exclude<WorkflowDefinition['steps'][number], { steps: unknown }>;

function exportStep(step: SimpleStep): Record<string, unknown>[] | null {
  switch (step.action) {
    case 'navigate':
      return [{ type: 'navigate', url: step.url }];
    case 'click': {
      const button = step.button === 'right' ? 'secondary' : step.button === 'middle' ? 'auxiliary' : undefined;
      const type = step.count === 2 ? 'doubleClick' : 'click';
      return withSelectors(step.target, { type, offsetX: 1, offsetY: 1, ...(button && { button }) });
    }
    case 'hover':
      return withSelectors(step.target, { type: 'hover' });
    case 'fill':
    case 'type':
      return step.append || !step.target ? null : withSelectors(step.target, { type: 'change', value: step.text });
    case 'press': {
      if (step.target) return null;
      const keys = step.key.split('+');
      return [
        ...keys.map((key) => ({ type: 'keyDown', target: 'main', key })),
        ...keys.toReversed().map((key) => ({ type: 'keyUp', target: 'main', key })),
      ];
    }
    case 'waitFor': {
      const { visible, hidden } = step.condition;
      const target = visible ?? hidden;
      return target ? withSelectors(target, { type: 'waitForElement', visible: visible !== undefined }) : null;
    }
    default:
      return null;
  }
}

function withSelectors(target: Target, step: Record<string, unknown>): Record<string, unknown>[] | null {
  const selectors = toLocatorChain(target).flatMap((locator) => {
    const chain = selectorChain(locator);
    return chain ? [chain] : [];
  });
  return selectors.length === 0 ? null : [{ ...step, target: 'main', selectors }];
}

/** Converts a locator to a selector chain; null if there is no equivalent. */
function selectorChain(locator: Locator): string[] | null {
  const { role, name, label, text, testId, css, placeholder, hasText, has, pattern, nth, near, within } = locator;
  if (hasText !== undefined || nth !== undefined || has || pattern !== undefined || near) return null;
  const parent = within ? selectorChain(within) : [];
  const selector =
    role !== undefined
      ? `aria/${name ?? ''}[role="${role}"]`
      : label !== undefined
        ? `aria/${label}`
        : text !== undefined
          ? `text/${text}`
          : (css ??
            (testId !== undefined
              ? `[data-testid=${JSON.stringify(testId)}]`
              : placeholder !== undefined
                ? `[placeholder=${JSON.stringify(placeholder)}]`
                : null));
  return parent && selector !== null ? [...parent, selector] : null;
}
