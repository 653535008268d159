import { Button } from '@pilothouse/ui-kit';
import { ImageUp, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { useSubmit } from 'react-router';

/** Size of a stored thumbnail in pixels, twice the displayed size. */
const SIZE = { width: 640, height: 400 } as const;

/** Uploads or removes the thumbnail of a workflow: form field `thumbnail` (base64). */
export function ThumbnailForm({ isOwn, disabled }: { isOwn: boolean; disabled: boolean }) {
  const file = useRef<HTMLInputElement>(null);
  const submit = useSubmit();
  const [problem, setProblem] = useState('');
  const upload = async (image: File) => {
    try {
      const thumbnail = await resizeImage(image);
      setProblem('');
      await submit({ intent: 'set-thumbnail', thumbnail }, { method: 'post' });
    } catch {
      setProblem(`${image.name} is no image that this browser can read`);
    }
  };
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <input
        ref={file}
        type="file"
        accept="image/*"
        hidden
        aria-label="Picture of the workflow"
        onChange={({ target }) => {
          const [image] = target.files ?? [];
          target.value = '';
          if (image) void upload(image);
        }}
      />
      <Button variant="quiet" disabled={disabled} onClick={() => file.current?.click()}>
        <ImageUp aria-hidden="true" /> {isOwn ? 'Another picture' : 'Give it a picture'}
      </Button>
      {isOwn && (
        <Button
          variant="quiet"
          disabled={disabled}
          onClick={() => void submit({ intent: 'remove-thumbnail' }, { method: 'post' })}
        >
          <X aria-hidden="true" /> Remove it
        </Button>
      )}
      {problem && (
        <span role="alert" className="text-xs text-bad">
          {problem}
        </span>
      )}
    </span>
  );
}

/** Scales the upper part of an image to a base64 JPEG. @throws if the file is no image */
async function resizeImage(file: File): Promise<string> {
  const image = await createImageBitmap(file);
  const scale = Math.max(SIZE.width / image.width, SIZE.height / image.height);
  const canvas = document.createElement('canvas');
  Object.assign(canvas, SIZE);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('There is no canvas');
  // Transparent pixels would be black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, SIZE.width, SIZE.height);
  context.drawImage(image, (SIZE.width - image.width * scale) / 2, 0, image.width * scale, image.height * scale);
  image.close();
  return canvas.toDataURL('image/jpeg', 0.85).replace(/^.*,/, '');
}
