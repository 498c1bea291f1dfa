/** What a person has chosen on this device; MUI keeps it under this key and follows it once it is loaded. */
const chosen = localStorage.getItem('mui-mode')
if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
