import { ensureWebBuilt } from '../../scripts/build-web.ts'
import { startProduct } from './product.ts'

/** Builds the web app and starts the product; E2E_BASE_URL names one that is running already. */
const globalSetup = async () => {
  if (process.env.E2E_BASE_URL) return
  await ensureWebBuilt()
  // The journeys sign in far more often than people do.
  const product = await startProduct({ SIGN_IN_LIMIT_PER_MINUTE: '10000', RATE_LIMIT_PER_MINUTE: '100000' })
  process.env.E2E_BASE_URL = product.url
  return product.stop
}

// biome-ignore lint/style/noDefaultExport: Playwright calls the default export
export default globalSetup
