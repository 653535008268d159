import sharp from 'sharp';

/** A white image with a black border. */
export const pngOf = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width: width - 8, height: height - 8, channels: 3, background: 'white' } })
    .extend({ top: 4, bottom: 4, left: 4, right: 4, background: 'black' })
    .png()
    .toBuffer();

/** A PDF with one line of text on each of two pages. */
export function tinyPdf(): Buffer {
  const page = (contents: number) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Resources << /Font << /F1 3 0 R >> >> /Contents ${contents} 0 R >>`;
  const content = (text: string) => {
    const stream = `BT /F1 24 Tf 40 200 Td (${text}) Tj ET`;
    return `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`;
  };
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [4 0 R 6 0 R] /Count 2 >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    page(5),
    content('Invoice'),
    page(7),
    content('Terms'),
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${file}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`);
}
