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

/** A question of Tk, which opens its window late. Its answer and the size of the window are in files. */
const question = `import time, tkinter as tk
time.sleep(2)
root = tk.Tk(className='tkquestion')
root.title('Tk question')
def answer(text):
    open('answer.txt', 'w').write(text)
    root.title('answered')
def size(event):
    if event.widget is root:
        open('size.txt', 'w').write('%dx%d' % (event.width, event.height))
for text in ('Approve', 'Reject'):
    tk.Button(root, text=text, font=('DejaVu Sans', 16), command=lambda text=text: answer(text)).pack(padx=60, pady=20)
root.bind('<Configure>', size)
root.mainloop()
`;
const ask = [openApp('debian-xterm'), type('python3 question.py &\n')];

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
    {
      title: 'clicks a button by the text in the screenshot of the window',
      steps: [
        ...ask,
        untilTitle('Tk question'),
        { action: 'click', target: { screenText: 'Reject' } },
        untilTitle('answered'),
      ],
      saved: { 'answer.txt': 'Reject' },
    },
    {
      title: 'resizes a window that opens late, and reads its bounds',
      steps: [
        ...ask,
        { action: 'switchWindow', window: 'Tk question' },
        { id: 'window', action: 'setWindow', window: 'Tk question', bounds: { x: 40, y: 50, width: 431, height: 257 } },
        { action: 'click', target: { screenText: 'Approve' } },
        untilTitle('answered'),
      ],
      output: { bounds: '{{steps.window.value.bounds}}' },
      returns: { bounds: { x: 40, y: 50, width: 431, height: 257 } },
      saved: { 'answer.txt': 'Approve', 'size.txt': '431x257' },
    },
  ],
  { 'note.py': program, 'question.py': question },
);
