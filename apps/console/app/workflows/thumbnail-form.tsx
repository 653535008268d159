import { Button } from '@pilothouse/ui-kit';
import { ImageUp, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { useSubmit } from 'react-router';
import { ConfirmButton } from '../shared/confirm-button.tsx';

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
      setProblem(`${image.name} is not a supported image.`);
    }
  };
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <input
        ref={file}
        type="file"
        accept="image/*"
        hidden
        aria-label="Workflow thumbnail"
        onChange={({ target }) => {
          const [image] = target.files ?? [];
          target.value = '';
          if (image) void upload(image);
        }}
      />
      <Button variant="quiet" disabled={disabled} onClick={() => file.current?.click()}>
        <ImageUp aria-hidden="true" /> {isOwn ? 'Change thumbnail' : 'Add thumbnail'}
      </Button>
      {isOwn && (
        <ConfirmButton
          variant="quiet"
          disabled={disabled}
          confirmation={{
            title: 'Remove the thumbnail?',
            verb: 'Remove thumbnail',
            text: 'The uploaded image is deleted. The workflow shows a screenshot of its last run instead.',
            onConfirm: () => void submit({ intent: 'remove-thumbnail' }, { method: 'post' }),
          }}
        >
          <X aria-hidden="true" /> Remove thumbnail
        </ConfirmButton>
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
  if (!context) throw new Error("This browser can't resize images.");
  // Transparent pixels would be black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, SIZE.width, SIZE.height);
  context.drawImage(image, (SIZE.width - image.width * scale) / 2, 0, image.width * scale, image.height * scale);
  image.close();
  return canvas.toDataURL('image/jpeg', 0.85).replace(/^.*,/, '');
}
