import { chromium } from '@playwright/test'
import { browserArgs, findBrowser } from './browser.ts'

/** A page of HTML as a PDF on paper, with page numbers. */
export const printPdf = async (html: string, path: string, footer: string) => {
  const { executablePath, channel, env } = await findBrowser()
  const browser = await chromium.launch({
    args: browserArgs,
    env,
    ...(executablePath ? { executablePath } : {}),
    ...(channel ? { channel } : {}),
  })
  try {
    const page = await browser.newPage()
    await page.setContent(html)
    const line = `font: 7pt sans-serif; color: #4a5b64; width: 100%; margin: 0 12mm; display: flex; justify-content: space-between`
    await page.pdf({
      path,
      format: 'Letter',
      landscape: true,
      margin: { top: '14mm', bottom: '16mm', left: '12mm', right: '12mm' },
      displayHeaderFooter: true,
      headerTemplate: '<span></span>',
      footerTemplate: `<div style="${line}"><span>${footer}</span><span>Page <span class="pageNumber"></span> of <span class="totalPages"></span></span></div>`,
    })
  } finally {
    await browser.close()
  }
}
