// The product for those who work on it: the server restarts and the page reloads by themselves when a file is saved.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const web = join(root, 'apps/web')
const serverPort = Number(process.env.PORT ?? 3000)
const webPort = Number(process.env.WEB_PORT ?? 5173)
const page = `http://localhost:${webPort}`

// Links in messages and the sign-in lead to the page that is being worked on, not to the last build behind it.
const server = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--watch', 'apps/server/src/main.ts'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PORT: String(serverPort), LIS_WEB: 'vite', PUBLIC_URL: process.env.PUBLIC_URL ?? page },
  },
)

/** The web app's own Vite: the one at the root may belong to the test runner. */
const loadVite = async (): Promise<typeof import('vite')> => {
  const own = join(web, 'node_modules/vite/dist/node/index.js')
  return existsSync(own) ? await import(own) : await import('vite')
}

const { createServer } = await loadVite()
const served = ['/api', '/report', '/idp', '/storage', '/demo', '/docs', '/healthz', '/metrics']
const vite = await createServer({
  root: web,
  configFile: join(web, 'vite.config.ts'),
  server: {
    port: webPort,
    strictPort: true,
    // With its slash or alone: '/reports' is a page, '/report' is the server's.
    proxy: Object.fromEntries(served.map((path) => [`^${path}(/|\\?|$)`, `http://localhost:${serverPort}`])),
  },
})
await vite.listen()
console.log(`\n  The page with hot reload is at ${page}\n`)

const stop = async () => {
  server.kill('SIGTERM')
  await vite.close()
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
server.on('exit', (code) => {
  vite.close().finally(() => process.exit(code ?? 0))
})
