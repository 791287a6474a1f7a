#!/bin/sh
# Run once the package is installed. ${executable} and ${sanitizedProductName} are filled in by the packer.
set -e
folder='/opt/${sanitizedProductName}'

if command -v update-alternatives >/dev/null; then
  update-alternatives --install '/usr/bin/${executable}' '${executable}' "$folder/${executable}" 100
else
  ln -sf "$folder/${executable}" '/usr/bin/${executable}'
fi

# Ubuntu since 24.04, and others, deny programs the namespaces that Chromium makes its sandbox of; the helper, with the
# rights of root, makes it there. Where namespaces are allowed they are used, and the helper is not.
chown root:root "$folder/chrome-sandbox"
chmod 4755 "$folder/chrome-sandbox"

if command -v update-mime-database >/dev/null; then update-mime-database /usr/share/mime || true; fi
if command -v update-desktop-database >/dev/null; then update-desktop-database /usr/share/applications || true; fi
