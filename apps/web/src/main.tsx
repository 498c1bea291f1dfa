import './ui/style-nonce.ts' // before anything that writes styles
import './lib/no-eval.ts' // before any schema is made
import './ui/tokens.css'
import './ui/base.css'
import './ui/chosen-theme.ts' // before the first paint
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { fetchFirstPage } from './app/router.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root')
fetchFirstPage().then(() =>
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
)
