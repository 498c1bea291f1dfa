import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * What pages share, in few files: split by itself into what each pair of pages has in common, a list would be seventy files. Each
 * group is the named modules with all they import, less the groups before it; the first to ask for one of them gets the whole.
 */
const groups = [
  // What every page begins with.
  { name: 'start', tags: ['$initial' as const] },
  // What the sign-in page needs of the kit.
  { name: 'fields', test: /\/ui\/(password-field|action-button|logo)\.tsx$|\/material\/Link\/Link\./ },
  // The menu, and the small parts that most pages have.
  {
    name: 'shell',
    test: /\/app\/shell\/shell\.tsx$|\/ui\/confirm-dialog\.|\/ui\/form\/(tick|field-types)\.|\/ui\/table\/(read-list|table-icons)\.|\/lib\/list-address\./,
  },
  { name: 'form', test: /\/ui\/form\/field-input\.tsx$/ },
  { name: 'table', test: /\/ui\/table\/table\.tsx$/ },
  { name: 'list', test: /\/ui\/list-page\/list-page\.tsx$/ },
  // A record's page: its cards and its form.
  { name: 'record', test: /\/ui\/form\/(record-form|record-page|info-list)\.tsx$|\/ui\/card\.tsx$/ },
  { name: 'sign-in', test: /\/features\/sign-in\/sign-in-flow\.tsx$/ },
].map((group, index, all) => ({ ...group, priority: all.length - index }))

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    target: 'es2024',
    // Every page is served under a strict content policy: nothing inline, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The PDF reader alone, loaded when a report is read. What a first visit may cost is checked in scripts/build-web.ts.
    chunkSizeWarningLimit: 1700,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
})
