import sharp from 'sharp';

/** Size to which two screenshots are reduced before the comparison. */
const [COLUMNS, ROWS] = [160, 100];

/** Difference of two grey values (0 to 255) above which a cell counts as changed. */
const GREY_TOLERANCE = 32;

/** Share of a screenshot whose content differs in another one, from 0 to 1. Carets and folder names change little of it. */
export async function layoutDifference(first: Buffer, second: Buffer): Promise<number> {
  const [firstCells, secondCells] = await Promise.all([first, second].map(cellsOf));
  const changed =
    firstCells?.filter((grey, index) => Math.abs(grey - (secondCells?.[index] ?? 0)) > GREY_TOLERANCE).length ?? 0;
  return changed / (COLUMNS * ROWS);
}

const cellsOf = async (image: Buffer): Promise<number[]> => [
  ...(await sharp(image).greyscale().resize(COLUMNS, ROWS, { fit: 'fill' }).raw().toBuffer()),
];
