import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ApprovalEffect } from '@pilothouse/contract/workflow/goal.schema';
import { describeElement, ellipsize } from '../../observation/observation-text.ts';
import { uriOriginIdOf, uriOriginOf, type UriOrigin } from '../../origin/uri-origin.ts';
import { secretNamesIn } from '../../workflow/secret-placeholders.ts';
import type { PlannedAction } from '../planned-action.ts';
import { targetElement, isAtCaret, actionPoint, isTextEntry } from '../page-queries.ts';
import { effectOfConfirmation, effectOfName, effectOfUrl } from './risky-words.ts';
import { menuEffect, otherAppOfWindow } from './desktop-effects.ts';
import { destinationsOf } from './input-destination.ts';
import { selectedOptions, isDeletingKey, affectedElements, triggeringActions } from './action-effects.ts';
import { isRunApplication, isAllowedOrigin, mayReceiveSecrets, type AllowedOrigins } from './allowed-origins.ts';

/** Limits of the actions that need no approval. */
export interface ApprovalPolicy extends AllowedOrigins {
  /** Effects that the workflow allows. */
  readonly autoApprove: ReadonlySet<ApprovalEffect>;
  /** Names of the run's secrets. */
  readonly secrets: readonly string[];
  /** Numbers of the documents that a secret was typed into. */
  readonly secretDocuments?: ReadonlySet<number>;
}

/** Reason why an action needs an approval. */
export interface ApprovalNeeded {
  readonly kind: ApprovalEffect;
  /** Description for people. Ends a sentence. */
  readonly description: string;
  /** For `credentials`: the origin or application that would receive them. */
  readonly origin?: string | null;
}

/** Descriptions of an action's target by models. */
export type ModelDescription = Pick<Extract<PlannedAction, { kind: 'act' }>, 'what' | 'identification'>;

/** Actions that change nothing, or that leave a disallowed site or application. */
const HARMLESS_ACTIONS: ReadonlySet<Action['action']> = new Set([
  'goBack',
  'goForward',
  'closeTab',
  'switchTab',
  'switchWindow',
  'listWindows',
  'wait',
  'waitFor',
  'assert',
  'extract',
  'observe',
  'screenshot',
  'pdf',
  'scroll',
  'hover',
]);

/**
 * Approval that an action needs on the observed page; null: none.
 * @param description descriptions of the target, for targets outside the element list
 */
export function requiredApproval(
  action: Action,
  page: Observation,
  limits: ApprovalPolicy,
  description: ModelDescription = {},
): ApprovalNeeded | null {
  const approvals = [
    credentialApproval(action, page, limits),
    placeApproval(action, page, limits),
    ...controlApprovals(action, page, description),
  ];
  const uploadTarget = action.action === 'upload' ? targetElement(action, page) : undefined;
  if (action.action === 'upload')
    approvals.push({
      kind: 'upload',
      description: `give a file to ${uploadTarget ? describeElement(uploadTarget) : 'the page'}`,
    });
  return approvals.find((element) => element !== null && !limits.autoApprove.has(element.kind)) ?? null;
}

/** Approval that is needed to accept a browser dialog, judged by its question; null: none. */
export function requiredDialogApproval(
  question: string,
  { autoApprove }: Pick<ApprovalPolicy, 'autoApprove'>,
): ApprovalNeeded | null {
  const kind = effectOfName(question);
  return kind === null || autoApprove.has(kind) ? null : { kind, description: `accept “${shorten(question)}”` };
}

/** Irreversible effect of an action, even if it is allowed; null: none. */
export function irreversibleEffect(
  action: Action,
  page: Observation,
  description: ModelDescription = {},
): ApprovalEffect | null {
  if (action.action === 'upload') return 'upload';
  return controlApprovals(action, page, description)[0]?.kind ?? null;
}

/** Approval for an action outside the sites and applications of the run, or for opening such an origin. */
function placeApproval(action: Action, page: Observation, limits: ApprovalPolicy): ApprovalNeeded | null {
  if (action.action === 'navigate') return navigateApproval(action.url, page, limits);
  if (action.action === 'openApp') return openAppApproval(action, limits);
  if (HARMLESS_ACTIONS.has(action.action)) return null;
  if (action.action === 'closeWindow' || action.action === 'setWindow') {
    const verb = action.action === 'closeWindow' ? 'close' : 'move, resize or set the state of';
    const app = otherAppOfWindow(action, page, limits);
    if (app !== null) return { kind: 'otherApp', description: `${verb} a window of ${app}` };
    if (action.app !== undefined) return null;
  }
  const uriOrigin = uriOriginOf(page.url);
  if (!isAllowedOrigin(uriOrigin, limits)) return foreignOriginApproval(uriOrigin, 'act on');
  // A `javascript:` or `mailto:` link opens no other site.
  const externalDestination = destinationsOf(action, page).find(({ url }) => isForeignOrigin(url, limits));
  if (externalDestination) {
    const description = `use ${externalDestination.element}, which leads to ${nameOf(externalDestination.url)}`;
    return { kind: 'otherSite', description };
  }
  const frame = isTextEntry(action) ? fieldOf(action, page)?.frame : undefined;
  return frame === undefined || isAllowedOrigin(uriOriginOf(frame), limits)
    ? null
    : { kind: 'otherSite', description: `type into a frame of ${nameOf(frame)}` };
}

/** A goal opens only sites. Every other scheme needs an approval. */
function navigateApproval(address: string, page: Observation, limits: ApprovalPolicy): ApprovalNeeded | null {
  const destination = URL.parse(address, uriOriginOf(page.url).kind === 'site' ? page.url : undefined);
  if (!destination) return null;
  if (destination.protocol !== 'http:' && destination.protocol !== 'https:')
    return { kind: 'otherSite', description: `open ${destination.protocol}` };
  const uriOrigin = uriOriginOf(destination.href);
  return isAllowedOrigin(uriOrigin, limits) ? null : foreignOriginApproval(uriOrigin, 'open');
}

function openAppApproval(
  { app, args = [] }: Extract<Action, { action: 'openApp' }>,
  limits: ApprovalPolicy,
): ApprovalNeeded | null {
  if (!isRunApplication(app, limits)) return { kind: 'otherApp', description: `open the application ${app}` };
  const site = args.find((arg) => isForeignOrigin(arg, limits));
  return site === undefined ? null : { kind: 'otherSite', description: `open ${nameOf(site)} in ${app}` };
}

/** True for a site or an application outside the run. */
function isForeignOrigin(uri: string, limits: ApprovalPolicy): boolean {
  const uriOrigin = uriOriginOf(uri);
  return uriOrigin.id !== null && !isAllowedOrigin(uriOrigin, limits);
}

function foreignOriginApproval(uriOrigin: UriOrigin, verb: string): ApprovalNeeded {
  return uriOrigin.kind === 'application'
    ? { kind: 'otherApp', description: `${verb} the application ${uriOrigin.name}` }
    : { kind: 'otherSite', description: `${verb} ${uriOrigin.name}` };
}

const nameOf = (uri: string): string => uriOriginOf(uri).name;

/**
 * Secrets may be typed into, and sent to, only the origin or application where the goal began. The surface repeats this check with the
 * origin that the browser reports, or the application of the active window.
 */
function credentialApproval(action: Action, page: Observation, limits: ApprovalPolicy): ApprovalNeeded | null {
  const isUntrusted = (uri: string) => uriOriginIdOf(uri) !== null && !mayReceiveSecrets(uriOriginOf(uri), limits);
  if (isTextEntry(action) && secretNamesIn(action.text, limits.secrets).length > 0) {
    const field = fieldOf(action, page);
    const receiver = field?.frame ?? page.url;
    if (!mayReceiveSecrets(uriOriginOf(receiver), limits)) return credentialsApproval(receiver);
    const destination = field?.formDestinations?.urls.find(isUntrusted);
    if (destination === undefined) return null;
    const origin = uriOriginIdOf(destination);
    return { kind: 'credentials', description: `type a secret into a form that goes to ${origin}`, origin };
  }
  const hasSecret = limits.secretDocuments?.has(page.document) === true;
  const secretDestination = destinationsOf(action, page).find(
    ({ url, form }) => form !== null && (form.secret || hasSecret) && isUntrusted(url),
  );
  return secretDestination
    ? {
        kind: 'credentials',
        description: `send a form with a secret to ${nameOf(secretDestination.url)}`,
        origin: uriOriginIdOf(secretDestination.url),
      }
    : null;
}

/** Field that an action types into. It may be missing from the list. */
const fieldOf = (action: Action, page: Observation): Partial<ElementView> | undefined =>
  targetElement(action, page) ?? (isTextEntry(action) && isAtCaret(action) ? (page.focus ?? undefined) : undefined);

/**
 * Approval to type a secret into another origin or application.
 * @param uri of the page or window; `null` for an opaque origin
 */
export function credentialsApproval(uri: string): ApprovalNeeded {
  const uriOrigin = uriOriginOf(uri);
  const receiver =
    uriOrigin.kind === 'application' ? `the application ${uriOrigin.name}` : `a page of ${uriOrigin.id ?? 'no origin'}`;
  return { kind: 'credentials', description: `type a secret into ${receiver}`, origin: uriOrigin.id };
}

/** Approval by the names and URLs of the affected controls. If Enter submits a form, every control in view may be affected. */
function controlApprovals(
  action: Action,
  page: Observation,
  { what = '', identification }: ModelDescription,
): ApprovalNeeded[] {
  if (action.action === 'navigate') return urlApproval(URL.parse(action.url, page.url)?.href, 'open');
  if (action.action === 'openApp') return (action.args ?? []).flatMap((arg) => urlApproval(arg, 'open'));
  if (action.action === 'selectMenuItem') return menuEffect(action);
  if (action.action === 'fillFileDialog')
    return action.overwrite === true
      ? [{ kind: 'delete', description: `replace the file “${shorten(action.path)}”` }]
      : [];
  if (isDeletingKey(action, page))
    return [{ kind: 'delete', description: 'press a key that may delete the selection' }];
  if (!triggeringActions.has(action.action)) return [];
  const elements = affectedElements(action, page);
  // On a canvas only the descriptions by models count. A target that is used at a point may be a canvas.
  const isCanvasTarget = actionPoint(action) !== undefined || elements.every(({ name }) => name === '');
  if (identification && identification.kind !== 'none')
    return [{ kind: identification.kind, description: `use what looks like “${shorten(identification.what)}”` }];
  for (const [text, verb] of [
    [what, 'it calls'],
    [identification?.what ?? '', 'looks like'],
  ] as const) {
    const effect = isCanvasTarget && effectOfName(text);
    if (effect) return [{ kind: effect, description: `use what ${verb} “${shorten(text)}”` }];
  }
  for (const option of selectedOptions(action)) {
    const kind = effectOfName(option);
    if (kind) return [{ kind, description: `choose “${shorten(option)}”` }];
  }
  const verbPhrase = action.action === 'press' ? 'press a key that may use' : 'use';
  for (const element of elements) {
    const kind = effectOfControl(element);
    if (kind) return [{ kind, description: `${verbPhrase} ${describeElement(element)}` }];
  }
  for (const element of elements) {
    const kind = effectOfConfirmation(element, page);
    if (kind)
      return [{ kind, description: `${verbPhrase} ${describeElement(element)}, where the page asks whether to` }];
  }
  return destinationsOf(action, page).flatMap(({ url, element: source }) =>
    urlApproval(url, `${verbPhrase} ${source}, which leads to`),
  );
}

/** Effect of a control. Links only navigate: “Post” is a page to read, the button “Send” has an effect. */
function effectOfControl({ role, name, fallbackName: hint = '' }: ElementView): ApprovalEffect | null {
  const kind = effectOfName(`${name} ${hint}`);
  return kind === 'send' && role === 'link' ? null : kind;
}

function urlApproval(url: string | undefined, verb: string): ApprovalNeeded[] {
  const kind = url === undefined ? null : effectOfUrl(url);
  return kind === null ? [] : [{ kind, description: `${verb} ${shorten(url ?? '')}` }];
}

const shorten = (text: string) => ellipsize(text, 100);
