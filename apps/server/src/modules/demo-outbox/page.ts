export interface DemoMessage {
  id: number
  channel: string
  to: string
  subject: string | null
  body: string
  createdAt: string
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => escapes[char] as string)

/** Turns addresses into links; takes escaped text. */
const withLinks = (escaped: string) =>
  escaped.replace(
    /https?:\/\/[^\s&]+(?:&amp;[^\s&]+)*/g,
    (address) => `<a href="${address}" rel="noreferrer">${address}</a>`,
  )

export const outboxPage = (messages: DemoMessage[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Demo outbox</title>
<link rel="stylesheet" href="/demo/outbox.css">
</head>
<body>
<main>
<h1>Demo outbox</h1>
<p>Codes, mails and faxes of this demonstration arrive here, newest first. Nothing leaves this machine. The page renews itself.</p>
${messages.length === 0 ? '<p class="empty">No message yet.</p>' : `<ol>${messages.map(item).join('\n')}</ol>`}
</main>
</body>
</html>
`

const item = (message: DemoMessage): string => `<li>
<header><b>${escapeHtml(message.channel)}</b> to <span>${escapeHtml(message.to)}</span> <time datetime="${escapeHtml(message.createdAt)}">${escapeHtml(shortTime(message.createdAt))}</time></header>
${message.subject ? `<h2>${escapeHtml(message.subject)}</h2>` : ''}
<pre>${withLinks(escapeHtml(message.body))}</pre>
</li>`

const shortTime = (instant: string) => `${instant.slice(0, 19).replace('T', ' ')} UTC`

export const outboxStyle = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; background: Canvas; color: CanvasText; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
h2 { font-size: 1rem; margin: .5rem 0 0; }
ol { list-style: none; margin: 1.5rem 0 0; padding: 0; }
li { padding: .75rem 0; border-top: 1px solid color-mix(in srgb, CanvasText 20%, Canvas); }
header { display: flex; flex-wrap: wrap; gap: .25rem .5rem; }
header span { overflow-wrap: anywhere; }
time { margin-left: auto; }
pre { margin: .25rem 0 0; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
`
