/** Builds a PDF with a page of one line for each text. Texts are ASCII without parentheses. */
export function pdfOf(...texts: string[]): Buffer {
  const pageIds = texts.map((_, index) => 4 + index * 2);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] /Count ${texts.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...texts.flatMap((text, index) => {
      const content = `BT /F1 24 Tf 40 200 Td (${text}) Tj ET`;
      const resources = '/Resources << /Font << /F1 3 0 R >> >>';
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] ${resources} /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
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
