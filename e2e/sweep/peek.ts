import type { Page } from '@playwright/test'
import { faultsOf, settle } from './look.ts'

// What would change records, bring files or only move the table is left alone.
const isLeftAlone =
  /delete|remove|export|download|save|log-?out|resend|sort|expand|collapse|next|previous|close|clear|^filter$|undo|discard|mark|send|sign out|^Go to|print$/i
const layer = '[role="dialog"], [role="menu"], [role="listbox"]'

/** Presses every button of the page once and looks at what opens: dialogs, menus, lists of choices. */
export const peek = async (
  page: Page,
  reopen: () => Promise<unknown>,
  seen: Set<string>,
  report: (name: string, wrong: string[]) => Promise<void>,
) => {
  const buttons = page.locator('main button:visible:enabled, main [role="combobox"][aria-haspopup]:visible')
  const names = await buttons.evaluateAll((all) =>
    all.map((one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').trim()),
  )
  for (const [index, name] of names.entries()) {
    // Rows repeat their buttons with another number in the name.
    const kind = name.replace(/[\d#]+.*$/, '').trim()
    if (kind === '' || isLeftAlone.test(kind) || seen.has(kind)) continue
    seen.add(kind)
    await buttons
      .nth(index)
      .click({ timeout: 3000 })
      .catch(() => undefined)
    const opened = page.locator(layer).locator('visible=true').first()
    await opened.waitFor({ timeout: 400 }).catch(() => undefined)
    if ((await opened.count()) > 0) {
      // Pointing at something shows its tooltip, which is not what is looked at.
      await page.mouse.move(0, 0)
      await report(`-${kind.replace(/[^a-zA-Z]+/g, '-')}`, await faultsOf(page))
    }
    // The page is drawn again: whatever the button has opened is gone.
    await reopen()
    await settle(page)
  }
}
