import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { managementSession, openAs } from './people.ts'

const web = join(import.meta.dirname, '../../apps/web')

/** A page of parts of the kit, `apps/web/test/{name}.tsx`, built as the product is and shown inside it; no part of the product. */
export const galleryOf = (name: string) => {
  let built = ''
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Gallery</title><link rel="stylesheet" href="/${name}/style.css"></head><body><div id="root"></div><script type="module" src="/${name}/gallery.js"></script></body></html>`
  return {
    build: async () => {
      built = mkdtempSync(join(tmpdir(), 'lis-gallery-'))
      const own = join(web, 'node_modules/vite/dist/node/index.js')
      const { build } = (await import(existsSync(own) ? own : 'vite')) as {
        build: (options: object) => Promise<unknown>
      }
      await build({
        root: web,
        base: `/${name}/`,
        configFile: join(web, 'vite.config.ts'),
        logLevel: 'warn',
        publicDir: false,
        build: {
          outDir: built,
          emptyOutDir: true,
          cssCodeSplit: false,
          rollupOptions: {
            input: join(web, `test/${name}.tsx`),
            output: { entryFileNames: 'gallery.js', assetFileNames: '[name][extname]' },
          },
        },
      })
    },
    remove: () => rmSync(built, { recursive: true, force: true }),
    open: async (page: Page) => {
      await page.route(`**/${name}/**`, (route) => {
        const file = new URL(route.request().url()).pathname.slice(name.length + 2)
        if (file === '') return route.fulfill({ contentType: 'text/html', body: html })
        return route.fulfill({
          contentType: file.endsWith('.css') ? 'text/css' : 'text/javascript',
          body: readFileSync(join(built, file)),
        })
      })
      await openAs(page, await managementSession(page.request), `/${name}/`)
    },
  }
}
