// Builds the web app, but only when one of its sources has changed.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Rolldown } from 'vite'

const root = join(import.meta.dirname, '..')
const web = join(root, 'apps/web')
const dist = join(web, 'dist')
const stamp = join(dist, '.build-hash')
const sources = [
  'scripts/build-web.ts',
  'apps/web/src',
  'apps/web/public',
  'packages/contract/src',
  'apps/web/index.html',
  'apps/web/vite.config.ts',
  'package-lock.json',
]
/** What a first visit may cost, gzipped. */
const maxInitialBytes = 250_000

/** Makes sure that `apps/web/dist` is what the sources say. */
const ensureWebBuilt = async () => {
  // Without sources the build is already there; developers see the page through Vite (scripts/dev.ts).
  if (!existsSync(join(web, 'src')) || process.env.LIS_WEB === 'vite') return
  const hash = sourceHash()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  console.log('Building the web app …')
  // Beside the old build, then in its place: a server that is running never finds half of it.
  const fresh = join(root, '.cache', `web-${process.pid}`)
  mkdirSync(fresh, { recursive: true })
  try {
    const { build } = await loadVite()
    const built = await build({
      root: web,
      configFile: join(web, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh, emptyOutDir: true },
    })
    reportSizes((built as Rolldown.RolldownOutput).output)
    compressAssets(join(fresh, 'assets'))
    writeFileSync(join(fresh, '.build-hash'), hash)
    rmSync(dist, { recursive: true, force: true })
    renameSync(fresh, dist)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** The web app's own Vite: the one at the root may belong to the test runner. */
const loadVite = async (): Promise<typeof import('vite')> => {
  const own = join(web, 'node_modules/vite/dist/node/index.js')
  return existsSync(own) ? await import(own) : await import('vite')
}

const sourceHash = () => {
  const hash = createHash('sha256')
  for (const file of sources.flatMap(filesUnder))
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

const filesUnder = (path: string): string[] => {
  if (!existsSync(join(root, path))) return []
  if (/\.[a-z]+$/.test(path)) return [path]
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()
}

/** Beside each file of text its compressed form: the server sends it as it is, instead of compressing it for every visit. */
const compressAssets = (folder: string) => {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
  for (const file of readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name))) {
    const content = readFileSync(join(folder, file))
    writeFileSync(join(folder, `${file}.br`), brotliCompressSync(content, brotli))
    writeFileSync(join(folder, `${file}.gz`), gzipSync(content))
  }
}

/** Prints what a first visit costs, with `--sizes` also what each page adds, and refuses a build that costs too much. */
const reportSizes = (output: Rolldown.RolldownOutput['output']) => {
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])))
  const withImports = (name: string, seen = new Set<string>()): Set<string> => {
    if (!seen.has(name)) {
      seen.add(name)
      for (const imported of chunks.get(name)?.imports ?? []) withImports(imported, seen)
    }
    return seen
  }
  const gzipped = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + gzipSync(chunks.get(name)?.code ?? '').length, 0)
  const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
  const entry = [...chunks.values()].find((chunk) => chunk.isEntry)
  if (!entry) throw new Error('The build has no entry')
  const initial = withImports(entry.fileName)
  const initialBytes = gzipped(initial)
  console.log(`  initial JavaScript ${kb(initialBytes)} gzipped (limit ${kb(maxInitialBytes)})`)
  for (const name of process.argv.includes('--sizes') ? entry.dynamicImports : []) {
    const extra = [...withImports(name)].filter((chunk) => !initial.has(chunk))
    console.log(`  + ${name.replace(/^assets\//, '').replace(/-[\w-]{8}\.js$/, '')} ${kb(gzipped(extra))}`)
  }
  if (initialBytes > maxInitialBytes) throw new Error('The first page costs too much; load what it does not need later')
}

await ensureWebBuilt()
