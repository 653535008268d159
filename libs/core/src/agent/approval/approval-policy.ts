import type { Action, ElementView, ApprovalEffect, Observation } from '@pilothouse/contract';
import { type HostRule, matchesAddress, matchesHost, parseAddress, parseHost } from '../../egress/host-rules.ts';
import { describeElement, ellipsize } from '../../observation/observation-text.ts';
import { secretNamesIn } from '../../secret/secret-placeholders.ts';
import type { PlannedAction } from '../planned-action.ts';
import { targetElement, isAtCaret, webOrigin, actionPoint, isTextEntry } from '../page-queries.ts';
import { effectOfConfirmation, effectOfName, effectOfUrl } from './risky-words.ts';
import { destinationsOf } from './input-destination.ts';
import { selectedOptions, isErasingKey, affectedElements, triggeringActions } from './action-effects.ts';

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
export type ModelDescription = Pick<Extract<PlannedAction, { kind: 'act' }>, 'what' | 'drawn'>;

/** Actions that change nothing, or that leave a disallowed site. */
const harmless: ReadonlySet<Action['action']> = new Set([
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
 * @param said descriptions of the target, for targets outside the element list
 */
export function requiredApproval(
  action: Action,
  seen: Observation,
  limits: ApprovalPolicy,
  said: ModelDescription = {},
): ApprovalNeeded | null {
  const found = [credentials(action, seen, limits), leaving(action, seen, limits), ...named(action, seen, said)];
  const to = action.action === 'upload' ? targetElement(action, seen) : undefined;
  if (action.action === 'upload')
    found.push({ kind: 'upload', what: `give a file to ${to ? describeElement(to) : 'the page'}` });
  return found.find((one) => one !== null && !limits.autoApprove.has(one.kind)) ?? null;
}

/** Approval that is needed to accept a browser dialog, judged by its question; null: none. */
export function requiredDialogApproval(
  question: string,
  { autoApprove }: Pick<ApprovalPolicy, 'autoApprove'>,
): ApprovalNeeded | null {
  const kind = effectOfName(question);
  return kind === null || autoApprove.has(kind) ? null : { kind, what: `accept “${short(question)}”` };
}

/** Irreversible effect of an action, even if it is allowed; null: none. */
export function irreversibleEffect(
  action: Action,
  seen: Observation,
  said: ModelDescription = {},
): ApprovalEffect | null {
  if (action.action === 'upload') return 'upload';
  return named(action, seen, said)[0]?.kind ?? null;
}

/** Approval for an action outside the sites of the run, or for a navigation to such a site. */
function leaving(action: Action, seen: Observation, limits: ApprovalPolicy): ApprovalNeeded | null {
  if (action.action === 'navigate') {
    const to = URL.parse(action.url, webOrigin(seen.url) === null ? undefined : seen.url);
    if (!to) return null;
    if (webOrigin(to.href) === null) return { kind: 'otherSite', what: `open ${to.protocol}` };
    return isRunSite(to.href, limits) ? null : { kind: 'otherSite', what: `open ${to.host}` };
  }
  if (harmless.has(action.action)) return null;
  if (webOrigin(seen.url) !== null && !isRunSite(seen.url, limits))
    return { kind: 'otherSite', what: `act on ${URL.parse(seen.url)?.host ?? seen.url}` };
  const away = destinationsOf(action, seen).find(({ url }) => webOrigin(url) !== null && !isRunSite(url, limits));
  if (away) return { kind: 'otherSite', what: `use ${away.by}, which leads to ${hostOf(away.url)}` };
  const frame = isTextEntry(action) ? fieldOf(action, seen)?.frame : undefined;
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
  const [own, other] = [from, to].map(({ hostname }) => hostname.replace(/^www\./, ''));
  return to.port === from.port && (own === other || (other ?? '').endsWith(`.${own}`));
}

/** True if a redirect stays on the same host: with or without `www.`, from http to https. */
export function isSameHost(from: string, to: string): boolean {
  const [one, other] = [from, to].map((origin) => URL.parse(origin));
  if (!one || !other || one.port !== other.port) return false;
  const isSecure = one.protocol === other.protocol || other.protocol === 'https:';
  return isSecure && one.hostname.replace(/^www\./, '') === other.hostname.replace(/^www\./, '');
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
function credentials(action: Action, seen: Observation, limits: ApprovalPolicy): ApprovalNeeded | null {
  const isTrusted = (origin: string | null) => origin !== null && limits.trusted.has(origin);
  if (isTextEntry(action) && secretNamesIn(action.text, limits.secrets).length > 0) {
    const field = fieldOf(action, seen);
    const origin = webOrigin(field?.frame ?? seen.url);
    if (!isTrusted(origin)) return secretToOtherOrigin(origin);
    const other = field?.formDestinations?.urls.map(webOrigin).find((to) => to !== null && !isTrusted(to));
    return other === undefined
      ? null
      : { ...secretToOtherOrigin(other), what: `type a secret into a form that goes to ${other}` };
  }
  const holdsSecret = limits.secretDocuments?.has(seen.document) === true;
  const sent = destinationsOf(action, seen).find(
    ({ url, form }) =>
      form !== null && (form.secret || holdsSecret) && webOrigin(url) !== null && !isTrusted(webOrigin(url)),
  );
  return sent
    ? { kind: 'credentials', what: `send a form with a secret to ${hostOf(sent.url)}`, origin: webOrigin(sent.url) }
    : null;
}

/** Field that an action types into. It may be missing from the list. */
const fieldOf = (action: Action, seen: Observation): Partial<ElementView> | undefined =>
  targetElement(action, seen) ?? (isTextEntry(action) && isAtCaret(action) ? (seen.focus ?? undefined) : undefined);

/** Approval to send a secret to another origin. @param origin null: opaque origin */
export const secretToOtherOrigin = (origin: string | null): ApprovalNeeded => ({
  kind: 'credentials',
  what: `type a secret into a page of ${origin ?? 'no origin'}`,
  origin,
});

/** Approval by the names and URLs of the affected controls. If Enter submits a form, every control in view may be affected. */
function named(action: Action, seen: Observation, { what = '', drawn }: ModelDescription): ApprovalNeeded[] {
  if (action.action === 'navigate') return leadingTo(URL.parse(action.url, seen.url)?.href, 'open');
  if (isErasingKey(action, seen)) return [{ kind: 'delete', what: 'press a key that may delete what is chosen' }];
  if (!triggeringActions.has(action.action)) return [];
  const meant = affectedElements(action, seen);
  // On a canvas only the descriptions by models count. A target that is used at a point may be a canvas.
  const isDrawn = actionPoint(action) !== undefined || meant.every(({ name }) => name === '');
  if (drawn && drawn.kind !== 'none') return [{ kind: drawn.kind, what: `use what looks like “${short(drawn.what)}”` }];
  for (const [words, says] of [
    [what, 'it calls'],
    [drawn?.what ?? '', 'looks like'],
  ] as const) {
    const found = isDrawn && effectOfName(words);
    if (found) return [{ kind: found, what: `use what ${says} “${short(words)}”` }];
  }
  for (const option of selectedOptions(action)) {
    const kind = effectOfName(option);
    if (kind) return [{ kind, what: `choose “${short(option)}”` }];
  }
  const uses = action.action === 'press' ? 'press a key that may use' : 'use';
  for (const one of meant) {
    const kind = kindOfControl(one);
    if (kind) return [{ kind, what: `${uses} ${describeElement(one)}` }];
  }
  for (const one of meant) {
    const kind = effectOfConfirmation(one, seen);
    if (kind) return [{ kind, what: `${uses} ${describeElement(one)}, where the page asks whether to` }];
  }
  return destinationsOf(action, seen).flatMap(({ url, by }) => leadingTo(url, `${uses} ${by}, which leads to`));
}

/** Effect of a control. Links only navigate: “Post” is a page to read, the button “Send” has an effect. */
function kindOfControl({ role, name, fallbackName: hint = '' }: ElementView): ApprovalEffect | null {
  const kind = effectOfName(`${name} ${hint}`);
  return kind === 'send' && role === 'link' ? null : kind;
}

function leadingTo(url: string | undefined, says: string): ApprovalNeeded[] {
  const kind = url === undefined ? null : effectOfUrl(url);
  return kind === null ? [] : [{ kind, what: `${says} ${short(url ?? '')}` }];
}

const short = (words: string) => ellipsize(words, 100);
