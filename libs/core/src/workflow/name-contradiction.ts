import { toLocatorChain, type Locator, type Target } from '@pilothouse/contract/actions/locator.schema';

/*
 * Compares the name that a step recorded with the name of the element that another locator finds. Case, spaces, punctuation, icons and
 * numbers do not count. The word lists are incomplete: a rename to another word cannot be told from another control.
 */

/** Why a name is not the recorded one: it says the opposite, it adds or drops a word such as “all”, or it is another name altogether. */
export type NameContradiction = 'opposite' | 'wider' | 'other';

/** Pairs of word lists with opposite meanings. */
const OPPOSITES: readonly (readonly [string, string])[] = [
  ['approve accept allow agree confirm grant permit', 'reject decline deny refuse disallow block revoke forbid cancel'],
  ['accept submit save apply continue proceed ok send', 'cancel discard abort dismiss reset reject decline'],
  ['yes', 'no'],
  ['on', 'off'],
  ['in', 'out off'],
  ['enable activate', 'disable deactivate'],
  ['enabled active', 'disabled inactive'],
  ['show reveal unhide', 'hide conceal'],
  ['open expand', 'close collapse'],
  ['start play resume run begin', 'stop pause end halt'],
  ['add insert create assign attach include', 'remove delete destroy unassign detach exclude'],
  ['keep restore retain', 'delete remove discard erase'],
  ['save publish', 'delete remove unpublish'],
  ['lock block', 'unlock unblock'],
  ['subscribe follow join', 'unsubscribe unfollow leave'],
  ['mute', 'unmute'],
  ['connect login', 'disconnect logout'],
  ['up', 'down'],
  ['left', 'right'],
  ['first', 'last'],
  ['next forward', 'previous prev back backward'],
  ['increase raise more', 'decrease lower less reduce'],
  ['increment', 'decrement'],
  ['plus', 'minus'],
  ['undo', 'redo'],
  ['buy deposit', 'sell withdraw'],
  ['import upload', 'export download'],
  ['archive', 'unarchive'],
  ['public', 'private'],
  ['before', 'after'],
  ['now', 'later'],
  ['credit', 'debit'],
  [
    'genehmigen zulassen erlauben annehmen akzeptieren zustimmen bestätigen',
    'ablehnen verweigern verbieten abbrechen sperren',
  ],
  ['speichern absenden senden weiter fortfahren', 'abbrechen verwerfen zurück löschen'],
  ['ja', 'nein'],
  ['hinzufügen anlegen', 'entfernen löschen'],
  ['öffnen', 'schließen'],
  ['aktivieren', 'deaktivieren'],
  ['ein einschalten', 'aus ausschalten'],
  ['anmelden', 'abmelden'],
  ['oui', 'non'],
  ['approuver accepter autoriser confirmer', 'rejeter refuser annuler interdire'],
  ['enregistrer envoyer', 'annuler supprimer'],
  ['ajouter', 'supprimer retirer'],
  ['activer', 'désactiver'],
  ['ouvrir', 'fermer'],
  ['sí si', 'no'],
  ['aprobar aceptar permitir confirmar', 'rechazar denegar cancelar'],
  ['guardar enviar', 'cancelar eliminar'],
  ['añadir agregar', 'eliminar quitar'],
  ['activar', 'desactivar'],
  ['abrir', 'cerrar'],
];

/** Beginnings that reverse a word. */
const REVERSING_PREFIXES = ['un', 'dis', 'de', 'in', 'non', 'des', 'dé'];

/** Words that reverse a name: “Do not allow”. */
const NEGATIONS = new Set(
  'not no never without dont cannot cant nicht nie kein keine ohne ne pas sans jamais nunca sin не без'.split(' '),
);

/** Words that widen an action: “Approve all”. */
const WIDENINGS = new Set(
  'all everything everyone every entire alle alles sämtliche tout tous toutes todo todos todas tutti tutto'.split(' '),
);

/** Letters that two words share at their beginning if they are forms of a word. */
const STEM_CHARS = 5;

const toWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .split(/[^\p{L}]+/u)
    .filter(Boolean);

const stemOf = (word: string): string => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word);

const stemsOf = (words: string): Set<string> => new Set(words.split(' ').map(stemOf));
const opposites = OPPOSITES.map(([left, right]) => [stemsOf(left), stemsOf(right)] as const);

const isSameWord = (word: string, second: string): boolean =>
  stemOf(word) === stemOf(second) ||
  (word.length >= STEM_CHARS &&
    second.length >= STEM_CHARS &&
    word.slice(0, STEM_CHARS) === second.slice(0, STEM_CHARS));

function isOppositeWord(word: string, second: string): boolean {
  const [stem, otherStem] = [stemOf(word), stemOf(second)];
  const isReversed = (short: string, long: string) =>
    short.length > 2 && REVERSING_PREFIXES.some((prefix) => stemOf(long) === `${prefix}${stemOf(short)}`);
  return (
    isReversed(word, second) ||
    isReversed(second, word) ||
    opposites.some(
      ([left, right]) => (left.has(stem) && right.has(otherStem)) || (left.has(otherStem) && right.has(stem)),
    )
  );
}

/**
 * Compares two names. @returns null: they may name the same control
 * @param isFullName true if the recorded name was the whole name. A part of a name is contradicted only by an opposite
 */
export function nameContradiction(recorded: string, name: string, isFullName = true): NameContradiction | null {
  const [recordedWords, words] = [toWords(recorded), toWords(name)];
  if (recordedWords.length === 0 || words.length === 0) return null;
  const isIn = (list: readonly string[], word: string) =>
    list.some((second) => stemOf(second) === stemOf(word) || (!isFullName && second.startsWith(word)));
  const missing = recordedWords.filter((word) => !isIn(words, word));
  const added = words.filter((word) => !isIn(recordedWords, word));
  if (missing.some((word) => added.some((second) => isOppositeWord(word, second)))) return 'opposite';
  if (missing.some((word) => NEGATIONS.has(word)) !== added.some((word) => NEGATIONS.has(word)) && isFullName)
    return 'opposite';
  if (!isFullName) return null;
  if ([...missing, ...added].some((word) => WIDENINGS.has(word))) return 'wider';
  const isShared = recordedWords.some((word) => words.some((second) => isSameWord(word, second)));
  const [joinedRecorded, joined] = [recordedWords.join(''), words.join('')];
  return isShared || joined.includes(joinedRecorded) || joinedRecorded.includes(joined) ? null : 'other';
}

/**
 * Compares the recorded names of a target with the names of an element, such as its accessible name and its text.
 * @returns the recorded name that is contradicted; null if one of them may name the element, or if there is none
 */
export function contradictedName(
  target: Target,
  names: readonly string[],
  isFullName: (locator: Locator) => boolean = ({ exact }) => exact === true,
): { readonly recorded: string; readonly kind: NameContradiction } | null {
  const recordedNames = toLocatorChain(target).flatMap((locator) => {
    const recorded = locator.name ?? locator.label ?? locator.text;
    return recorded === undefined ? [] : [{ recorded, isFull: isFullName(locator) }];
  });
  const named = names.filter((name) => toWords(name).length > 0);
  if (named.length === 0) return null;
  const contradictions = recordedNames.map(({ recorded, isFull }) => {
    const kinds = named.map((name) => nameContradiction(recorded, name, isFull));
    return kinds.includes(null) ? null : { recorded, kind: kinds[0] ?? 'other' };
  });
  if (contradictions.includes(null)) return null;
  return contradictions.find((contradiction) => contradiction?.kind !== 'other') ?? contradictions[0] ?? null;
}

/** Words for an action that may replace each other in the name of a control. */
const SYNONYMS: readonly string[] = [
  'submit request apply lodge file',
  'submit send post dispatch mail',
  'submit place complete finish finalize confirm',
  'save update store keep',
  'add create insert make register',
  'create issue generate make produce build',
  'delete remove erase',
  'edit change modify adjust amend revise update',
  'view show open see display',
  'search find browse',
  'download export get',
  'upload import attach',
  'log sign',
  'continue proceed',
  'book reserve schedule',
  'buy purchase order',
  'start begin launch run execute',
  'close end finish',
  'check verify validate',
  'choose select pick',
  'copy duplicate clone',
  'approve accept',
  'reject decline deny refuse',
  'cancel abort',
  'beantragen einreichen absenden senden abschicken',
  'speichern sichern aktualisieren',
  'anlegen erstellen hinzufügen',
  'löschen entfernen',
  'bearbeiten ändern',
  'suchen finden',
  'anzeigen öffnen ansehen',
  'buchen reservieren',
];
const synonyms = SYNONYMS.map(stemsOf);

const isVerb = (word: string): boolean => synonyms.some((group) => group.has(stemOf(word)));
const isSynonym = (word: string, second: string): boolean =>
  synonyms.some((group) => group.has(stemOf(word)) && group.has(stemOf(second)));

/** Words that may be added or dropped. */
const FILLERS = new Set('a an the this my your our now please der die das den ein eine'.split(' '));
const MIN_SUBJECT_CHARS = 4;

/**
 * True if a name says the same about the same subject with a synonym: “Request renewal”, “Submit renewal”. A name with another subject or
 * with a word that is no known synonym is not similar.
 */
export function isSynonymousName(recorded: string, name: string): boolean {
  if (nameContradiction(recorded, name) !== null) return false;
  const [recordedWords, words] = [recorded, name].map((text) => toWords(text).filter((word) => !FILLERS.has(word)));
  if (!recordedWords || !words) return false;
  const isIn = (list: readonly string[], word: string) => list.some((second) => stemOf(second) === stemOf(word));
  const shared = recordedWords.filter((word) => isIn(words, word));
  const [missing, added] = [
    recordedWords.filter((word) => !isIn(words, word)),
    words.filter((word) => !isIn(recordedWords, word)),
  ];
  const [verb, ...otherMissing] = missing;
  const [otherVerb, ...otherAdded] = added;
  if (verb === undefined || otherVerb === undefined || otherMissing.length + otherAdded.length > 0) return false;
  return isSynonym(verb, otherVerb) && shared.some((word) => word.length >= MIN_SUBJECT_CHARS && !isVerb(word));
}
