// The package managers of systems. All but winget install the package that npm has, on the node of that system.
import { type Shelf, yaml } from './shelf.ts'

/** A formula for a tap: a repository `homebrew-tap` of the same account. */
export const homebrew: Shelf = (facts) => ({
  'homebrew/Formula/claude-search-proxy.rb': `class ClaudeSearchProxy < Formula
  desc "${facts.tagline}"
  homepage "${facts.url}"
  url "${facts.download(facts.tarball)}"
  sha256 "${facts.sum(facts.tarball)}"
  license "${facts.license}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
  end

  def caveats
    "csp init sets up the rest, and asks before it fetches the Claude Code CLI."
  end

  service do
    run [opt_bin/"csp", "serve"]
    keep_alive true
    log_path var/"log/csp.log"
    error_log_path var/"log/csp.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/csp --version")
  end
end
`,
})

/** A flake: the release has it as an archive, which Nix takes by its address. */
export const nix: Shelf = (facts) => ({
  'nix/flake.nix': `{
  description = "${facts.tagline}";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forAll = nixpkgs.lib.genAttrs systems;
    in {
      packages = forAll (system:
        let pkgs = nixpkgs.legacyPackages.\${system};
        in {
          default = pkgs.stdenvNoCC.mkDerivation {
            pname = "${facts.name}";
            version = "${facts.version}";
            src = pkgs.fetchurl {
              url = "${facts.download(facts.tarball)}";
              sha256 = "${facts.sum(facts.tarball)}";
            };
            nativeBuildInputs = [ pkgs.makeWrapper ];
            # node runs the launcher, which takes Bun from PATH.
            installPhase = ''
              runHook preInstall
              mkdir -p $out/lib/node_modules/${facts.name} $out/bin
              cp -r . $out/lib/node_modules/${facts.name}
              makeWrapper \${pkgs.nodejs}/bin/node $out/bin/csp \\
                --add-flags $out/lib/node_modules/${facts.name}/bin/csp.mjs \\
                --prefix PATH : \${pkgs.lib.makeBinPath [ pkgs.bun pkgs.nodejs ]}
              runHook postInstall
            '';
            meta = {
              description = "${facts.tagline}";
              homepage = "${facts.url}";
              license = pkgs.lib.licenses.${facts.license.toLowerCase()};
              mainProgram = "csp";
            };
          };
        });
    };
}
`,
})

/** For the repository of users of Arch Linux. `.SRCINFO` is what `makepkg --printsrcinfo` prints. */
export const aur: Shelf = (facts) => {
  const { name, version, license, url, node } = facts
  const source = facts.download(facts.tarball)
  const sum = facts.sum(facts.tarball)
  return {
    'aur/PKGBUILD': `# Maintainer: ${facts.owner}
pkgname=${name}
pkgver=${version}
pkgrel=1
pkgdesc='${facts.tagline}'
arch=('x86_64' 'aarch64')
url='${url}'
license=('${license}')
depends=('nodejs>=${node}' 'npm')
options=('!strip' '!debug')
source=('${source}')
noextract=('${facts.tarball}')
sha256sums=('${sum}')

package() {
  npm install --global --no-audit --no-fund --prefix "$pkgdir/usr" --cache "$srcdir/npm-cache" "$srcdir/${facts.tarball}"
  # npm leaves folders as the owner of the build had them.
  chown -R root:root "$pkgdir"
  install -Dm644 "$pkgdir/usr/lib/node_modules/${name}/LICENSE" "$pkgdir/usr/share/licenses/${name}/LICENSE"
}
`,
    'aur/.SRCINFO': `pkgbase = ${name}
	pkgdesc = ${facts.tagline}
	pkgver = ${version}
	pkgrel = 1
	url = ${url}
	arch = x86_64
	arch = aarch64
	license = ${license}
	depends = nodejs>=${node}
	depends = npm
	noextract = ${facts.tarball}
	options = !strip
	options = !debug
	source = ${source}
	sha256sums = ${sum}

pkgname = ${name}
`,
  }
}

/** Three manifests, in the folder that microsoft/winget-pkgs has for them. The program is the one file of the release. */
export const winget: Shelf = (facts) => {
  const id = `${facts.owner}.${facts.name}`
  const folder = `winget/manifests/${facts.owner[0]?.toLowerCase()}/${facts.owner}/${facts.name}/${facts.version}`
  const about = { PackageIdentifier: id, PackageVersion: facts.version }
  const program = `csp-${facts.version}-windows-x64.exe`
  return {
    [`${folder}/${id}.yaml`]: wingetFile('version', { ...about, DefaultLocale: 'en-US' }),
    [`${folder}/${id}.installer.yaml`]: wingetFile('installer', {
      ...about,
      InstallerType: 'portable',
      Commands: ['csp'],
      Installers: [
        {
          Architecture: 'x64',
          InstallerUrl: facts.download(program),
          InstallerSha256: facts.sum(program).toUpperCase(),
        },
      ],
    }),
    [`${folder}/${id}.locale.en-US.yaml`]: wingetFile('defaultLocale', {
      ...about,
      PackageLocale: 'en-US',
      Publisher: facts.owner,
      PublisherUrl: `https://github.com/${facts.owner}`,
      PublisherSupportUrl: `${facts.url}/issues`,
      PackageName: facts.name,
      PackageUrl: facts.url,
      License: facts.license,
      LicenseUrl: `${facts.url}/blob/main/LICENSE`,
      ShortDescription: facts.description,
      Moniker: 'csp',
      Tags: facts.keywords.slice(0, 16),
    }),
  }
}

const wingetVersion = '1.10.0'

function wingetFile(type: string, fields: object): string {
  const schema = `https://aka.ms/winget-manifest.${type}.${wingetVersion}.schema.json`
  return `# yaml-language-server: $schema=${schema}\n\n${yaml({ ...fields, ManifestType: type, ManifestVersion: wingetVersion })}`
}
