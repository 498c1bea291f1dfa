import { sessionOf } from '../support/people.ts'
import { test } from '../support/test.ts'

for (const [w, h, scheme] of [[1440, 900, 'light'], [1024, 768, 'dark'], [390, 844, 'light']] as const)
  test(`shot ${w}`, async ({ page, request }) => {
    const session = JSON.stringify(await sessionOf(request, 'management'))
    await page.addInitScript(`localStorage.setItem('auth.v0.2', ${JSON.stringify(session)})`)
    await page.setViewportSize({ width: w, height: h })
    await page.emulateMedia({ colorScheme: scheme })
    for (const [name, path] of [['qc', '/quality-control'], ['setup', '/quality-control/setup'], ['lookbacks', '/quality-control/look-backs?show=all'], ['calls', '/critical-calls'], ['limits', '/critical-calls/limits']] as const) {
      await page.goto(path)
      await page.waitForTimeout(4000)
      await page.screenshot({ path: `/tmp/bqshots/${name}-${w}.png` })
      if (name === 'calls') {
        await page.getByRole('button', { name: /^Call about/ }).first().click()
        await page.waitForTimeout(1500)
        await page.screenshot({ path: `/tmp/bqshots/sheet-${w}.png` })
      }
    }
  })
