import { isBlock, toLocatorChain, type Locator, type Target, type WorkflowDefinition } from '@pilothouse/contract';

/** A recording made from a workflow, and what of the workflow is not in it. */
export interface ChromeExport {
  /** As the Recorder panel of Chrome DevTools imports it. */
  readonly recording: { readonly title: string; readonly steps: readonly Record<string, unknown>[] };
  /** Sentences for people. */
  readonly notes: readonly string[];
}

const WINDOW = { width: 1280, height: 800 };

/** A recording for the Recorder panel of Chrome DevTools. Templates stand as they are written. */
export function exportRecording({ name, title, browser, steps }: WorkflowDefinition): ChromeExport {
  const notes: string[] = [];
  const { width, height } = browser?.viewport ?? WINDOW;
  const screen = { deviceScaleFactor: 1, isMobile: false, hasTouch: false, isLandscape: true };
  const made: Record<string, unknown>[] = [{ type: 'setViewport', width, height, ...screen }];
  for (const [index, node] of steps.entries()) {
    const recorded = isBlock(node) ? null : recordedOf(node);
    if (recorded) made.push(...recorded);
    else notes.push(`Step ${index + 1} (${node.action}): a recording has nothing like it`);
  }
  return { recording: { title: title ?? name, steps: made }, notes };
}

type Step = Exclude<WorkflowDefinition['steps'][number], { steps: unknown }>;

function recordedOf(step: Step): Record<string, unknown>[] | null {
  switch (step.action) {
    case 'navigate':
      return [{ type: 'navigate', url: step.url }];
    case 'click': {
      const button = step.button === 'right' ? 'secondary' : step.button === 'middle' ? 'auxiliary' : undefined;
      const type = step.count === 2 ? 'doubleClick' : 'click';
      return onTarget(step.target, { type, offsetX: 1, offsetY: 1, ...(button && { button }) });
    }
    case 'hover':
      return onTarget(step.target, { type: 'hover' });
    case 'type':
      return step.append ? null : onTarget(step.target, { type: 'change', value: step.text });
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
      return target ? onTarget(target, { type: 'waitForElement', visible: visible !== undefined }) : null;
    }
    default:
      return null;
  }
}

function onTarget(target: Target, step: Record<string, unknown>): Record<string, unknown>[] | null {
  const selectors = toLocatorChain(target).flatMap((locator) => {
    const chain = chainOf(locator);
    return chain ? [chain] : [];
  });
  return selectors.length === 0 ? null : [{ ...step, target: 'main', selectors }];
}

/** A locator as a selector; null when there is none like it. */
function chainOf(locator: Locator): string[] | null {
  const { role, name, label, text, testId, css, placeholder, hasText, has, pattern, nth, near, within } = locator;
  if (hasText !== undefined || nth !== undefined || has || pattern !== undefined || near) return null;
  const around = within ? chainOf(within) : [];
  const own =
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
  return around && own !== null ? [...around, own] : null;
}
