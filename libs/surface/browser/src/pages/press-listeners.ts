import { randomUUID } from 'node:crypto';
import type { CDPSession } from 'playwright-core';
import { elementPath, hasPressHandler } from '../injected/press-handlers.ts';

const pressParts: readonly string[] = ['pointerdown', 'mousedown', 'pointerup', 'mouseup'];

/** An element with listeners for this many types is the root of a framework, which listens for all of its elements. */
const ROOT_EVENT_TYPES = 20;

/**
 * True if a page has listeners for parts of a press on an element or around it, below the document.
 * @param target expression that evaluates to the element in the isolated world
 */
export async function handlesPress(cdp: CDPSession, contextId: number, target: string): Promise<boolean> {
  const objectGroup = `press-${randomUUID()}`;
  try {
    const { result } = await cdp.send('Runtime.evaluate', { expression: target, contextId, objectGroup });
    const { objectId } = result;
    if (!objectId) return false;
    // Chromium returns the listeners of one world.
    const { backendNodeId } = (await cdp.send('DOM.describeNode', { objectId })).node;
    const { object } = await cdp.send('DOM.resolveNode', { backendNodeId, objectGroup });
    if (!object.objectId) return false;
    const call = { objectId: object.objectId, arguments: [{ objectId: object.objectId }], objectGroup };
    const path = await cdp.send('Runtime.callFunctionOn', { ...call, functionDeclaration: elementPath.toString() });
    const marks = await cdp.send('Runtime.callFunctionOn', {
      ...{ ...call, functionDeclaration: hasPressHandler.toString(), returnByValue: true },
    });
    if (marks.result.value === true) return true;
    const nodes = await cdp.send('Runtime.getProperties', {
      ...{ objectId: path.result.objectId ?? '', ownProperties: true },
    });
    const objectIds = nodes.result.flatMap(({ value }) => (value?.subtype === 'node' ? (value.objectId ?? []) : []));
    const listeners = await Promise.all(
      objectIds.map((element) => cdp.send('DOMDebugger.getEventListeners', { objectId: element })),
    );
    const types = listeners.map((answer) => new Set(answer.listeners.map(({ type }) => type)));
    return types.some((names) => names.size < ROOT_EVENT_TYPES && pressParts.some((part) => names.has(part)));
  } catch {
    // The document is gone.
    return false;
  } finally {
    void cdp.send('Runtime.releaseObjectGroup', { objectGroup }).catch(() => undefined);
  }
}
