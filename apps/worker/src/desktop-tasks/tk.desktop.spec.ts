import { openApp, press, type, untilTitle } from '../testing/desktop-steps.fixture.ts';
import { desktopTasks } from '../testing/desktop-task.fixture.ts';

/** A note program of Tk: Control+S writes its text, F5 counts. Tk publishes no elements. */
const program = `import tkinter as tk
root = tk.Tk(className='tknote')
root.title('Tk note')
text = tk.Text(root, width=60, height=10)
text.pack()
count = 0
def save(event=None):
    open('note.txt', 'w', encoding='utf-8').write(text.get('1.0', 'end-1c'))
    root.title('saved')
    return 'break'
def step(event=None):
    global count
    count += 1
    root.title('count %d' % count)
    return 'break'
root.bind_all('<Control-s>', save)
root.bind_all('<F5>', step)
root.after(50, text.focus_force)
root.mainloop()
`;
const start = [openApp('debian-xterm'), type('python3 note.py &\n'), untilTitle('Tk note')];

desktopTasks(
  'a program of Tk',
  ['xterm', 'python3'],
  [
    {
      title: 'takes special characters, and writes them into a file',
      steps: [...start, type('Grüße ñ ёЖ 日本'), press('Control+S'), untilTitle('saved')],
      saved: { 'note.txt': 'Grüße ñ ёЖ 日本' },
    },
    {
      title: 'takes a long text by paste',
      steps: [...start, type('line – ß\n'.repeat(60)), press('Control+S'), untilTitle('saved')],
      saved: { 'note.txt': 'line – ß\n'.repeat(60) },
    },
    {
      title: 'counts each key press once',
      steps: [...start, press('F5', 7), untilTitle('count 7')],
    },
  ],
  { 'note.py': program },
);
