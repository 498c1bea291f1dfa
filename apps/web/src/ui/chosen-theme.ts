/** The theme chosen on this device; MUI stores it under this key and applies it once it is loaded. */
const chosen = localStorage.getItem('mui-mode')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
