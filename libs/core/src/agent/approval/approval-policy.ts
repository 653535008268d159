import type { Action, ElementView, ApprovalEffect, Observation } from '@pilothouse/contract';
import { type HostRule, matchesAddress, matchesHost, parseAddress, parseHost } from '../../egress/host-rules.ts';
import { describeElement, ellipsize } from '../../observation/observation-text.ts';
import { secretNamesIn } from '../../secret/secret-placeholders.ts';
import type { PlannedAction } from '../planned-action.ts';
import { targetElement, isAtCaret, webOrigin, actionPoint, isTextEntry } from '../page-queries.ts';
import { effectOfConfirmation, effectOfName, effectOfUrl } from './risky-words.ts';
import { destinationsOf } from './input-destination.ts';
import { selectedOptions, isDeletingKey, affectedElements, triggeringActions } from './action-effects.ts';

/** Limits of the actions that need no approval. */
export interface ApprovalPolicy {
  /** Effects that the workflow allows. */
  readonly autoApprove: ReadonlySet<ApprovalEffect>;
  /** Lists of allowed hosts. A host must be on every list. Empty: only the first site. */
  readonly hosts: readonly (readonly HostRule[])[];
  /** Origin of the first URL of the goal; null: none yet. */
  readonly home: string | null;
  /** Origins that may receive secrets: the first one, and those that a person approved. */
  readonly trusted: ReadonlySet<string>;
  /** Names of the secrets of the run. */
  readonly secrets: readonly string[];
  /** Numbers of the documents that a secret was typed into. */
  readonly secretDocuments?: ReadonlySet<number>;
}

/** Reason why an action needs an approval. */
export interface ApprovalNeeded {
  readonly kind: ApprovalEffect;
  /** Description for people. Ends a sentence. */
  readonly what: string;
  /** For `credentials`: the origin that would receive them. */
  readonly origin?: string | null;
}

/** Descriptions of the target of an action by models. */
export type ModelDescription = Pick<Extract<PlannedAction, { kind: 'act' }>, 'what' | 'identification'>;

/** Actions that change nothing, or that leave a disallowed site. */
const HARMLESS_ACTIONS: ReadonlySet<Action['action']> = new Set([
  'goBack',
  'goForward',
  'closeTab',
  'switchTab',
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
    siteApproval(action, page, limits),
    ...controlApprovals(action, page, description),
  ];
  const uploadTarget = action.action === 'upload' ? targetElement(action, page) : undefined;
  if (action.action === 'upload')
    approvals.push({
      kind: 'upload',
      what: `give a file to ${uploadTarget ? describeElement(uploadTarget) : 'the page'}`,
    });
  return approvals.find((element) => element !== null && !limits.autoApprove.has(element.kind)) ?? null;
}

/** Approval that is needed to accept a browser dialog, judged by its question; null: none. */
export function requiredDialogApproval(
  question: string,
  { autoApprove }: Pick<ApprovalPolicy, 'autoApprove'>,
): ApprovalNeeded | null {
  const kind = effectOfName(question);
  return kind === null || autoApprove.has(kind) ? null : { kind, what: `accept “${shorten(question)}”` };
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

/** Approval for an action outside the sites of the run, or for a navigation to such a site. */
function siteApproval(action: Action, page: Observation, limits: ApprovalPolicy): ApprovalNeeded | null {
  if (action.action === 'navigate') {
    const to = URL.parse(action.url, webOrigin(page.url) === null ? undefined : page.url);
    if (!to) return null;
    if (webOrigin(to.href) === null) return { kind: 'otherSite', what: `open ${to.protocol}` };
    return isRunSite(to.href, limits) ? null : { kind: 'otherSite', what: `open ${to.host}` };
  }
  if (HARMLESS_ACTIONS.has(action.action)) return null;
  if (webOrigin(page.url) !== null && !isRunSite(page.url, limits))
    return { kind: 'otherSite', what: `act on ${URL.parse(page.url)?.host ?? page.url}` };
  const externalDestination = destinationsOf(action, page).find(
    ({ url }) => webOrigin(url) !== null && !isRunSite(url, limits),
  );
  if (externalDestination)
    return {
      kind: 'otherSite',
      what: `use ${externalDestination.by}, which leads to ${hostOf(externalDestination.url)}`,
    };
  const frame = isTextEntry(action) ? fieldOf(action, page)?.frame : undefined;
  if (frame !== undefined && webOrigin(frame) !== null && !isRunSite(frame, limits))
    return { kind: 'otherSite', what: `type into a frame of ${hostOf(frame)}` };
  return null;
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/** True if a URL belongs to the sites of the run. */
export function isRunSite(url: string, { hosts, home }: ApprovalPolicy): boolean {
  const to = URL.parse(url);
  if (!to) return false;
  if (hosts.length > 0) return hosts.every((rules) => rules.some((rule) => matchesHostRule(rule, to)));
  if (home === null) return true;
  const from = new URL(home);
  const [homeHost, targetHost] = [from, to].map(({ hostname }) => hostname.replace(/^www\./, ''));
  return to.port === from.port && (homeHost === targetHost || (targetHost ?? '').endsWith(`.${homeHost}`));
}

/** True if a redirect stays on the same host: with or without `www.`, from http to https. */
export function isSameHost(from: string, to: string): boolean {
  const [first, second] = [from, to].map((origin) => URL.parse(origin));
  if (!first || !second || first.port !== second.port) return false;
  const isSecure = first.protocol === second.protocol || second.protocol === 'https:';
  return isSecure && first.hostname.replace(/^www\./, '') === second.hostname.replace(/^www\./, '');
}

export function matchesHostRule(rule: HostRule, to: URL): boolean {
  const host = parseHost(to.hostname);
  if (host === null) return false;
  const port = to.port === '' ? (to.protocol === 'https:' ? 443 : 80) : Number(to.port);
  const address = parseAddress(host.replace(/^\[|\]$/g, ''));
  return matchesHost(rule, { host, port }) || (address !== null && matchesAddress(rule, address, { host, port }));
}

/**
 * Secrets may be typed into, and sent to, only the origin where the goal began. The surface repeats this check with the origin that the
 * browser reports.
 */
function credentialApproval(action: Action, page: Observation, limits: ApprovalPolicy): ApprovalNeeded | null {
  const isTrusted = (origin: string | null) => origin !== null && limits.trusted.has(origin);
  if (isTextEntry(action) && secretNamesIn(action.text, limits.secrets).length > 0) {
    const field = fieldOf(action, page);
    const origin = webOrigin(field?.frame ?? page.url);
    if (!isTrusted(origin)) return otherOriginApproval(origin);
    const externalOrigin = field?.formDestinations?.urls.map(webOrigin).find((to) => to !== null && !isTrusted(to));
    return externalOrigin === undefined
      ? null
      : { ...otherOriginApproval(externalOrigin), what: `type a secret into a form that goes to ${externalOrigin}` };
  }
  const hasSecret = limits.secretDocuments?.has(page.document) === true;
  const secretDestination = destinationsOf(action, page).find(
    ({ url, form }) =>
      form !== null && (form.secret || hasSecret) && webOrigin(url) !== null && !isTrusted(webOrigin(url)),
  );
  return secretDestination
    ? {
        kind: 'credentials',
        what: `send a form with a secret to ${hostOf(secretDestination.url)}`,
        origin: webOrigin(secretDestination.url),
      }
    : null;
}

/** Field that an action types into. It may be missing from the list. */
const fieldOf = (action: Action, page: Observation): Partial<ElementView> | undefined =>
  targetElement(action, page) ?? (isTextEntry(action) && isAtCaret(action) ? (page.focus ?? undefined) : undefined);

/** Approval to send a secret to another origin. @param origin null: opaque origin */
export const otherOriginApproval = (origin: string | null): ApprovalNeeded => ({
  kind: 'credentials',
  what: `type a secret into a page of ${origin ?? 'no origin'}`,
  origin,
});

/** Approval by the names and URLs of the affected controls. If Enter submits a form, every control in view may be affected. */
function controlApprovals(
  action: Action,
  page: Observation,
  { what = '', identification }: ModelDescription,
): ApprovalNeeded[] {
  if (action.action === 'navigate') return urlApproval(URL.parse(action.url, page.url)?.href, 'open');
  if (isDeletingKey(action, page)) return [{ kind: 'delete', what: 'press a key that may delete what is chosen' }];
  if (!triggeringActions.has(action.action)) return [];
  const elements = affectedElements(action, page);
  // On a canvas only the descriptions by models count. A target that is used at a point may be a canvas.
  const isCanvasTarget = actionPoint(action) !== undefined || elements.every(({ name }) => name === '');
  if (identification && identification.kind !== 'none')
    return [{ kind: identification.kind, what: `use what looks like “${shorten(identification.what)}”` }];
  for (const [text, verb] of [
    [what, 'it calls'],
    [identification?.what ?? '', 'looks like'],
  ] as const) {
    const effect = isCanvasTarget && effectOfName(text);
    if (effect) return [{ kind: effect, what: `use what ${verb} “${shorten(text)}”` }];
  }
  for (const option of selectedOptions(action)) {
    const kind = effectOfName(option);
    if (kind) return [{ kind, what: `choose “${shorten(option)}”` }];
  }
  const verbPhrase = action.action === 'press' ? 'press a key that may use' : 'use';
  for (const element of elements) {
    const kind = effectOfControl(element);
    if (kind) return [{ kind, what: `${verbPhrase} ${describeElement(element)}` }];
  }
  for (const one of elements) {
    const kind = effectOfConfirmation(one, page);
    if (kind) return [{ kind, what: `${verbPhrase} ${describeElement(one)}, where the page asks whether to` }];
  }
  return destinationsOf(action, page).flatMap(({ url, by }) => urlApproval(url, `${verbPhrase} ${by}, which leads to`));
}

/** Effect of a control. Links only navigate: “Post” is a page to read, the button “Send” has an effect. */
function effectOfControl({ role, name, fallbackName: hint = '' }: ElementView): ApprovalEffect | null {
  const kind = effectOfName(`${name} ${hint}`);
  return kind === 'send' && role === 'link' ? null : kind;
}

function urlApproval(url: string | undefined, verb: string): ApprovalNeeded[] {
  const kind = url === undefined ? null : effectOfUrl(url);
  return kind === null ? [] : [{ kind, what: `${verb} ${shorten(url ?? '')}` }];
}

const shorten = (text: string) => ellipsize(text, 100);
