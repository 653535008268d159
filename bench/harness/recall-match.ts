interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Something in a window that a person can click or type into. */
export interface Label {
  readonly name: string;
  readonly bounds: Box;
}

export interface LabelMatch {
  readonly labels: number;
  readonly found: number;
  readonly entries: number;
  /** Names of labels without an element. */
  readonly missed: readonly string[];
  readonly missedLabels: readonly Label[];
  /** Elements that belong to no label. */
  readonly extra: readonly string[];
}

/** Intersection over union from which two boxes are one. */
const MIN_OVERLAP = 0.5;

interface ListedElement {
  readonly role: string;
  readonly name: string;
  readonly bounds?: Box | undefined;
}

/** Compares labels with the elements of a list. A label is found if an element has its center there, or nearly its box. */
export function matchLabels(labels: readonly Label[], elements: readonly ListedElement[]): LabelMatch {
  const isMatch = ({ bounds: label }: Label, { bounds }: ListedElement) =>
    bounds !== undefined && (hasCenterIn(bounds, label) || overlapOf(bounds, label) >= MIN_OVERLAP);
  const missed = labels.filter((label) => !elements.some((element) => isMatch(label, element)));
  const extra = elements.filter((element) => !labels.some((label) => isMatch(label, element)));
  return {
    labels: labels.length,
    found: labels.length - missed.length,
    entries: elements.length,
    missed: missed.map(({ name }) => name),
    missedLabels: missed,
    extra: extra.map(({ role, name }) => `${role} ${JSON.stringify(name)}`),
  };
}

function hasCenterIn(box: Box, outer: Box): boolean {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x >= outer.x && x < outer.x + outer.width && y >= outer.y && y < outer.y + outer.height;
}

function overlapOf(first: Box, second: Box): number {
  const width = Math.min(first.x + first.width, second.x + second.width) - Math.max(first.x, second.x);
  const height = Math.min(first.y + first.height, second.y + second.height) - Math.max(first.y, second.y);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (first.width * first.height + second.width * second.height - width * height);
}
