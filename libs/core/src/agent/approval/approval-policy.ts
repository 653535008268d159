import type { Action, ElementView, ApprovalEffect, Observation } from '@pilothouse/contract';
import { type HostRule, matchesAddress, matchesHost, parseAddress, parseHost } from '../../egress/host-rules.ts';
import { describeElement, ellipsize } from '../../observation/observation-text.ts';
import { secretNamesIn } from '../../secret/secret-placeholders.ts';
import type { PlannedAction } from '../agent-protocol.ts';
import { targetElement, isAtCaret, webOrigin, actionPoint, isTextEntry } from '../page-queries.ts';
import { effectOfConfirmation, effectOfName, effectOfUrl } from './risky-words.ts';
import { destinationsOf } from './input-destination.ts';
import { selectedOptions, isErasingKey, affectedElements, triggeringActions } from './action-effects.ts';

/** What the agent may do by itself. */
export interface ApprovalPolicy {
  /** Kinds that the workflow allows. */
  readonly autoApprove: ReadonlySet<ApprovalEffect>;
  /** Hosts that are the run's: a host has to be on each of these lists; none: the site it began at. */
  readonly hosts: readonly (readonly HostRule[])[];
  /** The origin of the address with which it began; null: it has none yet. */
  readonly home: string | null;
  /** Origins that a person, or the beginning, allows secrets to be typed into. */
  readonly trusted: ReadonlySet<string>;
  /** Names of the secrets of the run. */
  readonly secrets: readonly string[];
  /** Documents into which a secret was typed, by their count. */
  readonly secretDocuments?: ReadonlySet<number>;
}

/** Why an action waits for a policy, or a person. */
export interface ApprovalNeeded {
  readonly kind: ApprovalEffect;
  /** What it is about, for a person: ends a sentence. */
  readonly what: string;
  /** Of `credentials`: where they would go. */
  readonly origin?: string | null;
}

/** What models say of what an action is about. */
export type ModelDescription = Pick<Extract<PlannedAction, { kind: 'act' }>, 'what' | 'drawn'>;

/** Actions that change nothing, or lead away from where it should not be. */
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
 * Whether a policy or a person has to allow an action on the page as it is seen; null: it may simply be done.
 * @param said of what lies at its place, for what is not in the list
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

/** Whether a policy or a person has to allow that a dialog of the browser is accepted, by what it asks; null: it may be. */
export function requiredDialogApproval(
  question: string,
  { autoApprove }: Pick<ApprovalPolicy, 'autoApprove'>,
): ApprovalNeeded | null {
  const kind = effectOfName(question);
  return kind === null || autoApprove.has(kind) ? null : { kind, what: `accept “${short(question)}”` };
}

/** Which kind of what cannot be taken back an action is, whoever allows it; null: none. */
export function irreversibleEffect(
  action: Action,
  seen: Observation,
  said: ModelDescription = {},
): ApprovalEffect | null {
  if (action.action === 'upload') return 'upload';
  return named(action, seen, said)[0]?.kind ?? null;
}

/** Outside of the run's sites nothing is done, and nobody goes there. */
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

/** Whether an address belongs to the run. */
export function isRunSite(url: string, { hosts, home }: ApprovalPolicy): boolean {
  const to = URL.parse(url);
  if (!to) return false;
  if (hosts.length > 0) return hosts.every((rules) => rules.some((rule) => matchesHostRule(rule, to)));
  if (home === null) return true;
  const from = new URL(home);
  const [own, other] = [from, to].map(({ hostname }) => hostname.replace(/^www\./, ''));
  return to.port === from.port && (own === other || (other ?? '').endsWith(`.${own}`));
}

/** Whether a site that redirects to another origin stays on its host: with or without `www.`, from http to https. */
export function isSameHost(from: string, to: string): boolean {
  const [one, other] = [from, to].map((origin) => URL.parse(origin));
  if (!one || !other || one.port !== other.port) return false;
  const isSecure = one.protocol === other.protocol || other.protocol === 'https:';
  return isSecure && one.hostname.replace(/^www\./, '') === other.hostname.replace(/^www\./, '');
}

/** Whether a rule names the host of an address. */
export function matchesHostRule(rule: HostRule, to: URL): boolean {
  const host = parseHost(to.hostname);
  if (host === null) return false;
  const port = to.port === '' ? (to.protocol === 'https:' ? 443 : 80) : Number(to.port);
  const address = parseAddress(host.replace(/^\[|\]$/g, ''));
  return matchesHost(rule, { host, port }) || (address !== null && matchesAddress(rule, address, { host, port }));
}

/**
 * A secret is typed into, and sent to, the origin where the goal began, and nowhere else. The surface asks again with the origin that the
 * browser knows.
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

/** The field that an action types into; it may be out of the list. */
const fieldOf = (action: Action, seen: Observation): Partial<ElementView> | undefined =>
  targetElement(action, seen) ?? (isTextEntry(action) && isAtCaret(action) ? (seen.focus ?? undefined) : undefined);

/** A secret that would go to another origin. @param origin null: none that sites have */
export const secretToOtherOrigin = (origin: string | null): ApprovalNeeded => ({
  kind: 'credentials',
  what: `type a secret into a page of ${origin ?? 'no origin'}`,
  origin,
});

/** What a control is called tells what it does, and where it leads. Where Enter sends a form, any control in view may be the one that it means. */
function named(action: Action, seen: Observation, { what = '', drawn }: ModelDescription): ApprovalNeeded[] {
  if (action.action === 'navigate') return leadingTo(URL.parse(action.url, seen.url)?.href, 'open');
  if (isErasingKey(action, seen)) return [{ kind: 'delete', what: 'press a key that may delete what is chosen' }];
  if (!triggeringActions.has(action.action)) return [];
  const meant = affectedElements(action, seen);
  // What is drawn has no name but those that models give it, and what is used at a place may be a drawing.
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

/** Links lead somewhere: “Post” is one to read, and “Send” a button. */
function kindOfControl({ role, name, fallbackName: hint = '' }: ElementView): ApprovalEffect | null {
  const kind = effectOfName(`${name} ${hint}`);
  return kind === 'send' && role === 'link' ? null : kind;
}

function leadingTo(url: string | undefined, says: string): ApprovalNeeded[] {
  const kind = url === undefined ? null : effectOfUrl(url);
  return kind === null ? [] : [{ kind, what: `${says} ${short(url ?? '')}` }];
}

const short = (words: string) => ellipsize(words, 100);
